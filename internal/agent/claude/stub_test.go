package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// stub makes a program that replaces the binary and does what the real one never does.
func stub(t *testing.T, script string) (*Driver, agent.Session) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "claude")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := agent.Session{ID: uuid.NewString(), Role: task.Planner, Dir: dir, StateDir: t.TempDir(), Prompt: "p", Model: "opus", ReadOnly: true, Wall: time.Minute}
	return New(Config{Config: program.Config{Binary: path, Path: os.Getenv("PATH"), Grace: 200 * time.Millisecond}}), s
}

const goodEnd = `echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"ok"}'` + "\n"

// greeting takes the hooks as the real one does.
const greeting = `read -r line; request=$(echo "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
echo "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$request\"}}"
`

func hello(version, mode, tools string) string {
	return fmt.Sprintf(greeting+`while [ $# -gt 0 ]; do [ "$1" = --session-id ] && id=$2; shift; done
echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$id\",\"claude_code_version\":\"%s\",\"permissionMode\":\"%s\",\"tools\":[%s]}"
`, version, mode, strings.ReplaceAll(tools, `"`, `\"`))
}

// TestFirstLine refuses a binary that is not what it was started as, and ends it.
func TestFirstLine(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		kind   fault.Kind
		names  string
	}{
		"good":            {hello(Pinned, "default", `"Read","Grep","Glob"`), "", ""},
		"version":         {hello("2.1.327", "default", `"Read"`), fault.Infra, "2.1.327"},
		"permission mode": {hello(Pinned, "bypassPermissions", `"Read"`), fault.Internal, "bypassPermissions"},
		"writing tool":    {hello(Pinned, "default", `"Read","Write"`), fault.Internal, "Write"},
		"unknown tool":    {hello(Pinned, "default", `"Read","StructuredOutput"`), fault.Internal, "StructuredOutput"},
		"session":         {strings.Replace(hello(Pinned, "default", `"Read"`), "$id", uuid.NewString(), 1), fault.Internal, "session"},
		"settings":        {"echo 'These settings files did not load: x' >&2; sleep 0.1\n" + hello(Pinned, "default", `"Read"`), fault.Internal, "settings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := stub(t, c.script+goodEnd+"cat > /dev/null\n")
			o, err := d.Run(t.Context(), s, func(agent.Event) {})
			if fault.KindOf(err) != c.kind || err != nil && !strings.Contains(err.Error(), c.names) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			if c.kind == "" && o.Kind != agent.Completed {
				t.Errorf("outcome: %+v", o)
			}
			if left := agenttest.Processes(t, s.ID); left != nil {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// TestDoesNotExit has a binary that sends its result and does not exit at the end of its input.
func TestDoesNotExit(t *testing.T) {
	d, s := stub(t, hello(Pinned, "default", "")+goodEnd+"trap '' TERM\nwhile :; do sleep 0.05; done\n")
	s.Wall = 0 // nothing else ends it
	o, err := d.Run(t.Context(), s, func(agent.Event) {})
	if err != nil || o.Kind != agent.Completed {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

// TestLastResult keeps the last of several results.
func TestLastResult(t *testing.T) {
	d, s := stub(t, hello(Pinned, "default", "")+goodEnd+strings.Replace(goodEnd, `"ok"`, `"better"`, 1))
	if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Text != "better" {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

func TestNoResult(t *testing.T) {
	d, s := stub(t, hello(Pinned, "default", "")+"echo 'it broke' >&2; exit 3\n")
	o, err := d.Run(t.Context(), s, func(agent.Event) {})
	if err != nil || o.Kind != agent.Errored || !strings.Contains(o.Text, "exit code 3: it broke") {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

func TestBadStarts(t *testing.T) {
	d, good := stub(t, goodEnd)
	for name, c := range map[string]struct {
		change func(d *Driver, s *agent.Session)
		kind   fault.Kind
	}{
		"no binary":    {func(d *Driver, _ *agent.Session) { d.cfg.Binary = "/nowhere/claude" }, fault.Infra},
		"no workspace": {func(_ *Driver, s *agent.Session) { s.Dir = "/nowhere" }, fault.Infra},
		"bad id":       {func(_ *Driver, s *agent.Session) { s.ID = "../x" }, fault.Internal},
		"no model":     {func(_ *Driver, s *agent.Session) { s.Model = "" }, fault.Internal},
		"no prompt":    {func(_ *Driver, s *agent.Session) { s.Prompt = "" }, fault.Internal},
		"relative":     {func(_ *Driver, s *agent.Session) { s.StateDir = "state" }, fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			s, other := good, New(d.cfg)
			c.change(other, &s)
			if _, err := other.Run(t.Context(), s, func(agent.Event) {}); fault.KindOf(err) != c.kind {
				t.Errorf("error: %v", err)
			}
		})
	}
	d.Close()
	if _, err := d.Run(t.Context(), good, func(agent.Event) {}); fault.KindOf(err) != fault.Stopping {
		t.Errorf("after Close: %v", err)
	}
}

// TestEnvironment passes on what the session names and nothing else.
func TestEnvironment(t *testing.T) {
	t.Setenv("LONGSHIFT_TEST_SECRET", "leaked")
	d, s := stub(t, hello(Pinned, "default", "")+"env > env.txt\n"+goodEnd)
	s.BaseURL, s.Token = "http://127.0.0.1:1", "token"
	s.Env = map[string]string{"GIT_AUTHOR_NAME": "Somebody", "HOME": "/elsewhere", "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "0"}
	if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Kind != agent.Completed {
		t.Fatalf("outcome %+v, error %v", o, err)
	}
	env := "\n" + read(t, s.Dir, "env.txt")
	for _, want := range []string{"GIT_AUTHOR_NAME=Somebody", "HOME=" + s.StateDir + "/home", "CLAUDE_CODE_DISABLE_FILE_MENTIONS=1", "ANTHROPIC_API_KEY=token",
		"ANTHROPIC_BASE_URL=http://127.0.0.1:1", "TZ=UTC", "TMPDIR=" + s.StateDir + "/tmp"} {
		if !strings.Contains(env, "\n"+want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(env, "leaked") {
		t.Error("our own environment was passed on")
	}
	s.ID, s.Login = uuid.NewString(), true
	if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Kind != agent.Completed {
		t.Fatalf("outcome %+v, error %v", o, err)
	}
	env = "\n" + read(t, s.Dir, "env.txt")
	if !strings.Contains(env, "\nCLAUDE_CODE_OAUTH_TOKEN=token\n") || strings.Contains(env, "ANTHROPIC_API_KEY") {
		t.Error("a login is not shown as one, or as a key too")
	}
}

func TestSlashIsNoCommand(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Read."}))
	b.session.Prompt = "/compact the code"
	o, _ := b.run(t)
	if o.Kind != agent.Completed || len(b.model.Calls()) != 1 || !strings.Contains(b.model.Calls()[0].Prompt, "/compact the code") {
		t.Errorf("outcome %+v after %d calls", o, len(b.model.Calls()))
	}
}

func TestThinking(t *testing.T) {
	for tokens, want := range map[int]string{1024: "low", 8192: "medium", 20000: "high", 40000: "xhigh", 100000: "max"} {
		if got := program.Effort(tokens); got != want {
			t.Errorf("%d tokens give %s", tokens, got)
		}
	}
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Thinking: "Hm.", Text: "Thought."}))
	b.session.Thinking = 20000
	o, e := b.run(t)
	if o.Kind != agent.Completed || len(e.Of(agent.Thinking)) != 1 {
		t.Errorf("outcome %+v, thoughts %+v", o, e.Of(agent.Thinking))
	}
	if body := string(b.model.Calls()[0].Body); !strings.Contains(body, `"effort":"high"`) {
		t.Error("the effort was not passed on")
	}
}

func TestReadmeNamesTheVersion(t *testing.T) {
	page, err := os.ReadFile("../../../README.md")
	if want := "@anthropic-ai/claude-code@" + Pinned; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("the README does not say to install %s (%v)", want, err)
	}
}
