package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/disk/disktest"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// newSmallBench makes a bench whose data is on a file system that a test can fill. It returns nil when there is none and the test must
// return.
func newSmallBench(t *testing.T) *bench {
	t.Helper()
	dir := disktest.Small(t, 192<<20)
	if dir == "" {
		return nil
	}
	b := newBench(t, map[string]agent.Agent{})
	b.startOn(filepath.Join(dir, "data"), map[string]agent.Agent{})
	return b
}

func (b *bench) fill() (empty func()) { return disktest.Fill(b.t, filepath.Dir(b.Data), 0) }

// starved fails unless the error is an infrastructure fault that the server retries and that names the full disk.
func starved(t testing.TB, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: done, on a full disk", what)
		return
	}
	app := applicationError(t, err)
	var hint string
	if app.Type() != string(fault.Infra) || app.NonRetryable() || app.Details(&hint) != nil || hint == "" {
		t.Errorf("%s: %s (final %v, hint %q): %s", what, app.Type(), app.NonRetryable(), hint, app.Message())
	}
}

// Every step that writes fails with an infrastructure fault on a full disk, and succeeds when there is room again.
func TestFullDiskAtEachStep(t *testing.T) {
	b := newSmallBench(t)
	if b == nil {
		return
	}
	repository := task.Repository{Text: b.remote, Path: b.remote}
	in := PrepareInput{Ref: b.ref, Repository: repository, Title: "Fix the sum"}
	run := func(command string) CommandInput {
		return CommandInput{Ref: b.ref, N: 1, Command: command, Wall: time.Minute}
	}
	var check signals.Check
	for _, step := range []struct {
		name  string
		ready func()
		do    func() error
	}{
		{"make the workspace", func() {}, func() error { return b.attempt().run(b.PrepareWorkspace, in, &b.made) }},
		{"setup", func() {}, func() error { return b.attempt().run(b.RunSetup, run("echo fetched > dep"), &check) }},
		{"check", func() {}, func() error { return b.attempt().run(b.RunChecks, run("head -c 300000 /dev/zero > built"), &check) }},
		{"commit", func() {
			must(t, os.WriteFile(filepath.Join(b.work(), "calc.go"), []byte("package calc // mended\n"), 0o600))
		}, func() error {
			return b.attempt().run(b.CommitWork, CommitInput{Ref: b.ref, Message: "Mend the sum", Session: 1, BaseCommit: b.made.BaseCommit}, nil)
		}},
	} {
		step.ready()
		empty := b.fill()
		starved(t, step.name, step.do())
		empty()
		must(t, step.do())
	}
	if !check.Passed() {
		t.Errorf("the check, with room: %+v", check)
	}
}

// A session that ends badly on a full disk is no error of the work: it is resumed under its own id when there is room.
func TestFullDiskKeepsTheSession(t *testing.T) {
	b := newSmallBench(t)
	if b == nil {
		return
	}
	b.prepare()
	var empty func()
	for name, end := range map[string]agent.Outcome{
		"an error":         {Kind: agent.Errored, Text: "ENOSPC: no space left on device, write"},
		"going in circles": {Kind: agent.Looped, Text: "the same command over and over"},
		"no report":        {Kind: agent.Completed, Text: "I could not write the file."},
		"a question":       {Kind: agent.Completed, Text: "<SPEC_ISSUE>the disk is full</SPEC_ISSUE>"},
		"a blocked one":    {Kind: agent.Completed, Text: "<BLOCKED>nothing can be written</BLOCKED>"},
	} {
		p := &player{play: func(_ context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
			if s.Resume {
				emit(agent.Event{Kind: agent.Text, Text: "<DONE>mended</DONE>"})
				return agent.Outcome{Kind: agent.Completed, Resumed: true}, nil
			}
			empty = b.fill()
			emit(agent.Event{Kind: agent.Text, Text: end.Text})
			return end, nil
		}}
		b.Agents["script"] = p
		in := b.session(task.Implementer, "script")
		_, err := b.attempt().session(b.Sessions, in)
		starved(t, name, err)
		_, err = b.attempt().session(b.Sessions, in)
		starved(t, name+", still full", err)
		if n := len(p.sessions()); n != 1 {
			t.Errorf("%s: the agent was started %d times before there was room", name, n)
		}
		empty()
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if all := p.sessions(); len(all) != 2 || all[1].ID != in.ID || !all[1].Resume || res.Kind != agent.Completed || res.Report.Kind != task.ReportDone {
			t.Errorf("%s: %d sessions, %+v", name, len(all), res)
		}
	}
}

// The disk of the command log is full, and has room again before the session ends: its end is no error of the work.
func TestFullDiskOfTheCommandLog(t *testing.T) {
	dir := disktest.Small(t, 1<<20)
	if dir == "" {
		return
	}
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	log, err := audit.Open(t.Context(), filepath.Join(dir, audit.FileName), b.Log)
	must(t, err)
	t.Cleanup(func() { _ = log.Close() })
	b.Audit = log
	b.start()
	empty := disktest.Fill(t, dir, 0)
	let := 0
	p := &player{play: func(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		for n := range 200 { // the pages that the log already has take some records
			d := s.Permit(ctx, agent.Call{Tool: "Read", ID: fmt.Sprint(let, n), Dir: s.Dir, Input: json.RawMessage(fmt.Sprintf(`{"file_path":"%d.go"}`, n))})
			if d.End != "" {
				empty()
				return agent.Outcome{Kind: d.End, Text: d.Reason}, nil
			}
			let++
			if s.Resume {
				emit(agent.Event{Kind: agent.Text, Text: "<DONE>mended</DONE>"})
				return agent.Outcome{Kind: agent.Completed, Resumed: true}, nil
			}
		}
		t.Error("the command log has room for all")
		return agent.Outcome{}, nil
	}}
	b.goesOn(p, "the command log")
	kept := 0
	for _, err := range log.List(t.Context(), audit.Filter{}) {
		must(t, err)
		kept++
	}
	if kept != let {
		t.Errorf("%d calls were let through, %d are in the log", let, kept)
	}
}

// The same for the ledger of the session, and before that for its record.
func TestFullDiskOfTheLedger(t *testing.T) {
	dir := disktest.Small(t, 1<<20)
	if dir == "" {
		return
	}
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	u := b.useModel(replies)
	must(t, os.Symlink(dir, filepath.Join(taskDir(b.Data, b.ref.TaskID), "sessions")))
	empty := disktest.Fill(t, dir, 0)
	b.Agents["script"] = &player{play: func(context.Context, agent.Session, func(agent.Event)) (agent.Outcome, error) {
		t.Error("a session began that has no record")
		return agent.Outcome{}, nil
	}}
	_, err := b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	starved(t, "the record", err)
	empty()
	p := &player{play: func(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		if s.Resume {
			emit(agent.Event{Kind: agent.Text, Text: "<DONE>mended</DONE>"})
			return agent.Outcome{Kind: agent.Completed, Resumed: true}, nil
		}
		empty := disktest.Fill(t, dir, 0)
		for range 200 {
			status, err := askModel(ctx, s)
			if err != nil {
				return agent.Outcome{}, err
			}
			if status == http.StatusServiceUnavailable {
				empty()
				return agent.Outcome{Kind: agent.Errored, Text: "API Error: 503"}, nil
			}
		}
		t.Error("the ledger has room for all")
		return agent.Outcome{}, nil
	}}
	if res := b.goesOn(p, "the ledger"); res.Usage.Calls != int(u.calls.Load()) || res.Usage.Calls == 0 {
		t.Errorf("%d calls are counted, %d were made", res.Usage.Calls, u.calls.Load())
	}
}

// goesOn has a session end because the disk is full, and resumes it to its end.
func (b *bench) goesOn(p *player, what string) SessionResult {
	b.t.Helper()
	b.Agents["script"] = p
	in := b.session(task.Implementer, "script")
	_, err := b.attempt().session(b.Sessions, in)
	starved(b.t, what, err)
	res, err := b.attempt().session(b.Sessions, in)
	must(b.t, err)
	if all := p.sessions(); len(all) != 2 || !all[1].Resume || res.Kind != agent.Completed || res.Report.Kind != task.ReportDone {
		b.t.Errorf("%s: %d sessions, %+v", what, len(all), res)
	}
	return res
}

// A session that ends for another reason keeps that reason on a full disk. An error with room on the disk is an error of the work.
func TestFullDiskExcusesNothingElse(t *testing.T) {
	b := newSmallBench(t)
	if b == nil {
		return
	}
	b.prepare()
	var empty func()
	for _, c := range []struct {
		kind agent.OutcomeKind
		full bool
	}{{agent.Budget, true}, {agent.AuthFailed, true}, {agent.Errored, false}, {agent.Quota, true}} { // the last one, because others would take it over
		b.Agents["script"] = &player{play: func(context.Context, agent.Session, func(agent.Event)) (agent.Outcome, error) {
			if c.full {
				empty = b.fill()
			}
			return agent.Outcome{Kind: c.kind, Text: "No space left on device"}, nil
		}}
		in := b.session(task.Implementer, "script")
		res, err := b.attempt().session(b.Sessions, in)
		if c.full { // the result could not be written
			starved(t, string(c.kind), err)
			empty()
			res, err = b.attempt().session(b.Sessions, in)
		}
		must(t, err)
		if res.Kind != c.kind {
			t.Errorf("%s became %s", c.kind, res.Kind)
		}
	}
	var check signals.Check
	must(t, b.attempt().run(b.RunChecks, CommandInput{Ref: b.ref, N: 1, Command: "echo No space left on device; exit 1", Wall: time.Minute}, &check))
	if check.ExitCode != 1 {
		t.Errorf("a test that says so failed with room on the disk: %+v", check)
	}
}

// A result that could not be written is not paid for again.
func TestFullDiskKeepsTheResult(t *testing.T) {
	b := newSmallBench(t)
	if b == nil {
		return
	}
	b.prepare()
	var empty func()
	p := &player{play: func(_ context.Context, _ agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		emit(agent.Event{Kind: agent.Text, Text: "<DONE>mended</DONE>"})
		empty = b.fill()
		return agent.Outcome{Kind: agent.Completed, Turns: 3}, nil
	}}
	b.Agents["script"] = p
	in := b.session(task.Implementer, "script")
	for range 2 {
		_, err := b.attempt().session(b.Sessions, in)
		starved(t, "the result", err)
	}
	empty()
	for range 2 {
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if res.Report.Kind != task.ReportDone || res.Turns != 3 {
			t.Errorf("got %+v", res)
		}
	}
	if n := len(p.sessions()); n != 1 {
		t.Errorf("the agent was started %d times", n)
	}
}

// With little room left no session begins, and a failure of a check is not one of the work.
func TestNearlyFullDisk(t *testing.T) {
	b := newSmallBench(t)
	if b == nil {
		return
	}
	b.prepare()
	p := says("<DONE>mended</DONE>")
	b.Agents["script"] = p
	empty := disktest.Fill(t, filepath.Dir(b.Data), 30<<20)
	_, err := b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	starved(t, "a session", err)
	if len(p.sessions()) != 0 {
		t.Error("the agent was started")
	}
	in := CommandInput{Ref: b.ref, N: 1, Command: "exit 1", Wall: time.Minute}
	starved(t, "a check", b.attempt().run(b.RunChecks, in, nil))
	empty()
	var check signals.Check
	must(t, b.attempt().run(b.RunChecks, in, &check))
	if check.ExitCode != 1 {
		t.Errorf("with room: %+v", check)
	}
}

// A command that could not be started is started by the next try, also when the disk has become full meanwhile.
func TestFullDiskTakesACommandBack(t *testing.T) {
	b := newSmallBench(t)
	if b == nil {
		return
	}
	b.prepare()
	empty := func() {}
	box := &failingOnce{Box: b.Confine.Box, then: func() { empty = b.fill() }}
	b.Confine.Box = box
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"echo x >> ran.txt"}`)})
	r.open()
	r.turn(0)
	box.fails.Store(true)
	if err := r.attempt().run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 1}, nil); err == nil {
		t.Fatal("done, without a process")
	}
	empty()
	r.makes()
	if text, _ := os.ReadFile(b.work() + "/ran.txt"); string(text) != "x\n" || r.results()[0].Failed {
		t.Errorf("ran %q, and the model is told %+v", text, r.results())
	}
}

// A command that has run is not run twice because of a full disk. When its result can be kept, the model is told that result; otherwise the
// act is tried again until there is room, and the model is told that nothing is known of the end.
func TestFullDiskOfACommand(t *testing.T) {
	const fills = "echo x >> ran.txt; seq 50000000 > big; seq 100000; "
	for name, c := range map[string]struct {
		command string
		full    bool // still, when it has ended
		told    []string
	}{
		"room again": {fills + ": > big", false, []string{`"exit_code":0`, `"success":true`, "could not be kept whole", `\n100000\n`}},
		"no room":    {fills, true, []string{`"interrupted":true`, "such as a full disk"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSmallBench(t)
			if b == nil {
				return
			}
			b.prepare()
			r := b.begins(task.Implementer, []transcript.Call{calling("run_command", string(asJSON(map[string]any{"command": c.command})))})
			r.open()
			r.turn(0)
			if c.full {
				starved(t, "the command", r.attempt().run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 1}, nil))
				must(t, os.Remove(b.work()+"/big"))
			}
			r.makes()
			for _, want := range c.told {
				if got := r.results(); !strings.Contains(got[0].Content, want) {
					t.Errorf("the model is not told %s: %.300s … %.300s", want, got[0].Content, excerpt.Tail(got[0].Content, 300))
				}
			}
			if text, _ := os.ReadFile(b.work() + "/ran.txt"); string(text) != "x\n" {
				t.Errorf("ran %q", text)
			}
		})
	}
}
