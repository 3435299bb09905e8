package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// conversation writes the conversation of a session into a folder, as acts do.
type conversation struct {
	t      *testing.T
	folder transcript.Folder
	head   string
	at     time.Time
}

func newConversation(t *testing.T, taskDir, id string) *conversation {
	t.Helper()
	c := &conversation{t: t, folder: transcript.Folder(filepath.Join(transcript.SessionsIn(taskDir), id)), at: time.Date(2026, 11, 25, 12, 0, 0, 0, time.Local)}
	must(t, os.MkdirAll(filepath.Dir(c.folder.Act("", transcript.Ask)), 0o700))
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// add adds an entry; with a kind it is the kept result of an act.
func (c *conversation) add(kind string, e transcript.Entry) {
	c.t.Helper()
	c.at = c.at.Add(time.Second)
	e.Before, e.At = c.head, c.at
	name, err := c.folder.Store().Add(e)
	must(c.t, err)
	c.head = name
	if kind != "" {
		c.keep(e.Before, kind)
	}
}

func call(id, tool, arguments string) transcript.Call {
	return transcript.Call{ID: id, Tool: tool, Arguments: json.RawMessage(arguments)}
}

// said is a conversation with everything that one can have, and secrets and control characters where models and programs write.
func said(t *testing.T, taskDir string) *conversation {
	c := newConversation(t, taskDir, "s-2")
	c.add("", transcript.Entry{Start: &transcript.Start{Model: "a-model", System: "Be good.", Prompt: "Do it." + strings.Repeat("\nmore", 20),
		Tools: []transcript.Tool{{Name: "edit_file"}, {Name: "run_command"}}, Images: []transcript.Image{{Type: "image/png"}}}})
	c.add("", transcript.Entry{Said: &transcript.Said{Messages: 1}})
	about := fmt.Appendf(nil, `{"n":2,"id":"s-2","ask":1,"role":"implementer","prompt":{"deliverable":{"id":"FIX-001"}},"begun":%q}`, c.head)
	must(t, os.WriteFile(c.folder.Started(), about, 0o600))
	c.add(transcript.Ask, transcript.Entry{Answer: &transcript.Answer{Text: "I look \x1b[31mfirst, with sk-very-secret.", Stop: "tool_use",
		Calls: []transcript.Call{call("1", "edit_file", `{"path":"a.go","old":"<a>","new":"sk-very-\u0073ecret\u001b[2J"}`), call("2", "run_command", `{"command":"make test"}`)},
		Usage: task.Usage{Input: 10, Output: 5}, Total: task.Usage{CostUSD: 0.25, Calls: 1}}})
	c.add(transcript.Run, transcript.Entry{Results: &transcript.Results{List: []transcript.Result{{Call: "1", Content: `{"success":true}`}}}})
	output := strings.Repeat("line\\n", 9) + `\u001b]0;title\u0007 sk-very-secret`
	c.add(transcript.Run, transcript.Entry{Results: &transcript.Results{Note: "[left: $4.75, 9 calls]",
		List: []transcript.Result{{Call: "2", Content: `{"success":false,"exit_code":1,"output":"` + output + `"}`, Failed: true}}}})
	c.add("", transcript.Entry{Results: &transcript.Results{List: []transcript.Result{{Call: "2", Content: "of an attempt that was cut off"}}}})
	return c
}

// more goes on with the conversation of said, by one act that tells the model something and has its answer.
func (c *conversation) more() {
	c.t.Helper()
	var err error
	c.head, err = c.folder.Head()
	must(c.t, err)
	from := c.head
	c.add("", transcript.Entry{Summary: &transcript.Summary{Text: "Half of it is done, with sk-very-secret."}})
	c.add("", transcript.Entry{Said: &transcript.Said{Text: "Ann says: mind the tests", Messages: 2}})
	c.add("", transcript.Entry{Answer: &transcript.Answer{Text: "Yes.", Calls: []transcript.Call{call("3", "note_save", `{"text":"noted"}`)},
		Total: task.Usage{CostUSD: 0.75, Calls: 2}}})
	c.keep(from, transcript.Ask)
}

// keep keeps the end of the conversation as the result of an act.
func (c *conversation) keep(from, kind string) {
	c.t.Helper()
	must(c.t, os.WriteFile(c.folder.Act(from, kind), fmt.Appendf(nil, `{"result":{"head":%q}}`, c.head), 0o600))
}

// show runs session show without a server, as that of a host.
func (c *console) show(dir string, status *signals.Status, n int, format string, all bool) error {
	f := c.factory()
	f.printer.Format = format
	o := &sessionOptions{viewer: f.viewer, printer: f.printer, config: f.config, redact: f.wiring.Redact, session: n, all: all}
	return o.show(taskSessions{task: "web-1", dir: dir, host: "here", status: status})
}

// twoSessions is a task whose second session runs on this host; the first has run on another.
func twoSessions() *signals.Status {
	return &signals.Status{TaskID: "web-1-run", Agent: task.AgentNative, Phase: task.Executing, Sessions: []signals.Session{
		{N: 1, ID: "s-1", Role: task.Planner, Host: "there", Outcome: "completed"},
		{N: 2, ID: "s-2", Role: task.Implementer, Deliverable: "FIX-001", Host: "here"}}}
}

// TestSessionShow shows a session that runs, and again when it has gone on.
func TestSessionShow(t *testing.T) {
	dir := t.TempDir()
	talk := said(t, dir)
	c := newConsole(t)
	must(t, c.show(dir, twoSessions(), 2, term.FormatText, false))
	want := `Session 2 of web-1: implementer FIX-001
  state   running
  model   a-model
  began   2026-11-25 12:00:01
  images  1
  tools   edit_file, run_command

Prompt
  Do it.
` + strings.Repeat("  more\n", 11) + `  … 9 more lines

Round 1, 12:00:03, $0.25 so far
  I look [31mfirst, with [hidden].
  > edit_file a.go
  < done
  > run_command make test
  <! exit_code 1
` + strings.Repeat("    line\n", 5) + `    … 5 more lines
  [left: $4.75, 9 calls]

1 round, 2 calls, $0.25
`
	if got := c.Out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	clitest.Wants(t, c.Errs.String(), "long texts are cut; --all shows them whole\n")

	talk.more()
	c = newConsole(t)
	must(t, c.show(dir, twoSessions(), 2, term.FormatText, true))
	clitest.Wants(t, c.Out.String(), "System\n  Be good.\n", strings.Repeat("  more\n", 20), "> edit_file a.go\n    new [hidden][2J, old <a>, path a.go\n  < done\n",
		strings.Repeat("    line\n", 9)+"    ]0;title [hidden]\n", "\nRound 2, 12:00:09, $0.75 so far\n  summary: Half of it is done, with [hidden].\n  told: Ann says: mind the tests\n  Yes.\n  > note_save noted\n",
		"  < no result yet\n", "2 rounds, 3 calls, $0.75\n")
	if strings.ContainsAny(c.Out.String(), "\x1b\x07…") || strings.Contains(c.Out.String(), "very-secret") || c.Errs.String() != "" {
		t.Errorf("it holds what must not be shown, or is cut:\n%s%s", c.Out.String(), c.Errs.String())
	}
}

// TestSessionShowOnATerminal: no line is wider than the terminal, and colours are those of the terminal.
func TestSessionShowOnATerminal(t *testing.T) {
	dir := t.TempDir()
	talk := said(t, dir)
	talk.add(transcript.Ask, transcript.Entry{Answer: &transcript.Answer{Text: strings.Repeat("long words ", 30), Calls: []transcript.Call{call("9", "search", `{"pattern":"`+strings.Repeat("漢字", 90)+`"}`)}}})
	c := newConsole(t)
	f := c.factory()
	streams := c.Streams()
	streams.OutTTY = true
	f.printer = term.NewPrinter(streams.Colored(func(name string) string { return map[string]string{"CLICOLOR_FORCE": "1"}[name] }))
	o := &sessionOptions{printer: f.printer, config: f.config, redact: f.wiring.Redact, session: 2}
	must(t, o.show(taskSessions{task: "web-1", dir: dir, host: "here", status: twoSessions()}))
	if !strings.Contains(c.Out.String(), "\x1b[31m  <! exit_code 1\x1b[0m\n") || !strings.Contains(c.Out.String(), "\x1b[1mRound 1, 12:00:03, $0.25 so far\x1b[0m\n") {
		t.Errorf("no colours:\n%q", c.Out.String())
	}
	for line := range strings.Lines(c.Out.String()) {
		for _, style := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\n"} {
			line = strings.ReplaceAll(line, style, "")
		}
		if term.Cells(line) > 80 || strings.Contains(line, "\x1b") {
			t.Errorf("%d columns: %q", term.Cells(line), line)
		}
	}
}

// TestSessionAsJSON: a line for each round, and one document; nothing is cut, and neither holds a secret.
func TestSessionAsJSON(t *testing.T) {
	dir := t.TempDir()
	said(t, dir).more()
	c := newConsole(t)
	must(t, c.show(dir, twoSessions(), 2, term.FormatJSONL, false))
	lines := strings.Split(strings.TrimSpace(c.Out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines:\n%s", len(lines), c.Out.String())
	}
	var first, second round
	must(t, errors.Join(json.Unmarshal([]byte(lines[0]), &first), json.Unmarshal([]byte(lines[1]), &second)))
	if first.N != 1 || len(first.Calls) != 2 || string(first.Calls[0].Arguments) != `{"new":"[hidden][2J","old":"<a>","path":"a.go"}` || first.Calls[0].Failed ||
		!first.Calls[1].Failed || strings.Count(*first.Calls[1].Result, `line\n`) != 9 || first.CostUSD != 0.25 || first.Usage.Input != 10 || first.Note == "" {
		t.Errorf("the first round is %+v", first)
	}
	if second.N != 2 || second.Summary != "Half of it is done, with [hidden]." || second.Said[0] != "Ann says: mind the tests" || second.Text != "Yes." || second.CostUSD != 0.5 || second.Total.Calls != 2 || second.Calls[0].Result != nil {
		t.Errorf("the second round is %+v", second)
	}
	c = newConsole(t)
	must(t, c.show(dir, twoSessions(), 2, term.FormatJSON, false))
	var all replay
	must(t, json.Unmarshal([]byte(c.Out.String()), &all))
	if all.Task != "web-1" || all.Session != 2 || all.State != "running" || all.Prompt == "" || all.System != "Be good." || len(all.Rounds) != 2 || len(all.Tools) != 2 {
		t.Errorf("the document is %+v", all)
	}
	if strings.Contains(c.Out.String()+lines[0], "very-secret") {
		t.Error("it holds a secret")
	}
}

// TestNoSessionToShow: each mistake has one clear error, with a way out.
func TestNoSessionToShow(t *testing.T) {
	claude := twoSessions()
	claude.Agent = task.AgentClaude
	ended := twoSessions()
	ended.Phase = task.Ended
	one := &signals.Status{Agent: task.AgentNative, Phase: task.Executing, Sessions: twoSessions().Sessions[1:]}
	for name, c := range map[string]struct {
		status *signals.Status
		n      int
		harm   func(dir string)
		kind   fault.Kind
		want   string
		hint   string
	}{
		"several":             {twoSessions(), 0, nil, fault.Input, "task web-1 has 2 sessions:\n  1  planner, on host there\n  2  implementer FIX-001", "`longshift session show web-1-session-1`"},
		"no such number":      {twoSessions(), 3, nil, fault.NotFound, "task web-1 has no session 3", "`longshift show web-1`"},
		"on another host":     {twoSessions(), 1, nil, fault.NotFound, "session 1 (planner) of task web-1 ran on host there", "there, or set LONGSHIFT_DATA"},
		"of another agent":    {claude, 2, gone("sessions"), fault.NotFound, "the sessions of task web-1 are of the agent claude", "`longshift logs web-1`"},
		"not begun":           {one, 0, gone("sessions"), fault.NotFound, "session 2 of task web-1 has not begun", "try again"},
		"removed":             {ended, 2, gone("sessions"), fault.NotFound, "no conversation of session 2 of task web-1 under", "set LONGSHIFT_DATA"},
		"no session yet":      {&signals.Status{Agent: task.AgentNative}, 0, gone("sessions"), fault.NotFound, "task web-1 has no session yet", "`longshift status web-1`"},
		"nobody answers":      {nil, 0, gone("sessions"), fault.NotFound, "no session of task web-1 under", "set LONGSHIFT_DATA"},
		"an entry is gone":    {twoSessions(), 2, gone("sessions/s-2/conversation/*"), fault.NotFound, "session 2 of task web-1: the entry ", "`longshift logs web-1`"},
		"an entry is broken":  {twoSessions(), 2, spoil("sessions/s-2/conversation/*"), fault.Internal, "is damaged", "`longshift logs web-1`"},
		"an act is broken":    {twoSessions(), 2, spoil("sessions/s-2/acts/*"), fault.Internal, "is damaged", "`longshift logs web-1`"},
		"its start is broken": {twoSessions(), 2, spoil("sessions/s-2/started.json"), fault.Internal, "session s-2 of task web-1: the file started.json is damaged", "`longshift logs web-1`"},
		"sessions is a file":  {twoSessions(), 2, func(dir string) { gone("sessions")(dir); _ = os.WriteFile(dir+"/sessions", nil, 0o600) }, fault.Denied, "read sessions", "user of the worker"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			said(t, dir)
			if c.harm != nil {
				c.harm(dir)
			}
			out := newConsole(t)
			err := out.show(dir, c.status, c.n, term.FormatText, false)
			if err == nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.HintOf(err), c.hint) || out.Out.String() != "" {
				t.Errorf("%v (%s; %s)\n%s", err, fault.KindOf(err), fault.HintOf(err), out.Out.String())
			}
		})
	}
}

// TestSessionOfFolders: when no worker answers, or the session has gone on elsewhere, what this host has is shown.
func TestSessionOfFolders(t *testing.T) {
	dir := t.TempDir()
	said(t, dir)
	c := newConsole(t)
	must(t, c.show(dir, nil, 0, term.FormatText, false))
	clitest.Wants(t, c.Out.String(), "Session 2 of web-1: implementer FIX-001\n  model   a-model\n")
	moved := twoSessions()
	moved.Sessions[1].Host = "there"
	c = newConsole(t)
	must(t, c.show(dir, moved, 2, term.FormatText, false))
	clitest.Wants(t, c.Errs.String(), "session 2 has gone on on host there; this is as far as it came here\n")
}

// gone removes files below the folder of a task.
func gone(pattern string) func(dir string) { return each(pattern, os.RemoveAll) }

// spoil has files begin with what is no JSON.
func spoil(pattern string) func(dir string) {
	return each(pattern, func(file string) error { return os.WriteFile(file, []byte("]"), 0o600) })
}

func each(pattern string, do func(file string) error) func(dir string) {
	return func(dir string) {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		for _, f := range files {
			err = errors.Join(err, do(f))
		}
		if err != nil || len(files) == 0 {
			panic(fmt.Sprintf("%s: %d files, %v", pattern, len(files), err))
		}
	}
}
