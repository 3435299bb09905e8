package codex

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
	path := filepath.Join(dir, "codex")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := agent.Session{ID: uuid.NewString(), Role: task.Implementer, Dir: dir, StateDir: t.TempDir(), Prompt: "p", Model: "m", Wall: time.Minute}
	return New(Config{Config: program.Config{Binary: path, Path: os.Getenv("PATH"), Grace: 200 * time.Millisecond}}), s
}

const conversation = "01a21455-6982-7d53-b15b-5cf21a78c9a3"

// says prints a message. hears reads one.
func says(line string) string { return "echo '" + line + "'\n" }

const hears = "read -r line\n"

// answers reads a request and answers it.
func answers(result string) string {
	return hears + `id=$(echo "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')` + "\n" + `echo '{"id":"'"$id"'","result":` + result + "}'\n"
}

func introduces(version string) string {
	return answers(`{"userAgent":"longshift/`+version+` (Linux)"}`) + hears // initialized
}

func opens(policy, reviewer, sandbox, provider string) string {
	return answers(fmt.Sprintf(`{"approvalPolicy":%s,"approvalsReviewer":%q,"sandbox":{"type":%q},"modelProvider":%q,"thread":{"id":%q}}`,
		policy, reviewer, sandbox, provider, conversation))
}

// greeting goes as far as the beginning of the turn.
var greeting = introduces(Pinned) + opens(`"untrusted"`, "user", "dangerFullAccess", provider) + answers(`{"turn":{"id":"turn1"}}`)

var (
	goodEnd = says(`{"method":"item/completed","params":{"item":{"type":"agentMessage","id":"m","text":"ok"}}}`) +
		says(`{"method":"turn/completed","params":{"turn":{"id":"turn1","status":"completed"}}}`)
	untilEnd = "cat > rest.txt\n" // of the input
)

// TestGreeting refuses a binary that is not what it was started as, and ends it before it hears the prompt.
func TestGreeting(t *testing.T) {
	rules := func(policy, reviewer, sandbox, provider string) string {
		return introduces(Pinned) + opens(policy, reviewer, sandbox, provider)
	}
	for name, c := range map[string]struct {
		script string
		kind   fault.Kind
		names  string
	}{
		"good":       {rules(`"untrusted"`, "user", "dangerFullAccess", provider), "", ""},
		"version":    {introduces("0.170.0"), fault.Infra, "0.170.0"},
		"no version": {answers(`{}`), fault.Infra, `version ""`},
		"policy":     {rules(`"on-request"`, "user", "dangerFullAccess", provider), fault.Internal, "on-request"},
		"granular":   {rules(`{"granular":{"rules":true}}`, "user", "dangerFullAccess", provider), fault.Internal, "granular"},
		"no policy":  {rules(`null`, "user", "dangerFullAccess", provider), fault.Internal, "approval policy"},
		"reviewer":   {rules(`"untrusted"`, "auto_review", "dangerFullAccess", provider), fault.Internal, "auto_review"},
		"sandbox":    {rules(`"untrusted"`, "user", "workspaceWrite", provider), fault.Internal, "workspaceWrite"},
		"endpoint":   {rules(`"untrusted"`, "user", "dangerFullAccess", "openai"), fault.Internal, "openai"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := stub(t, c.script+answers(`{"turn":{"id":"turn1"}}`)+"touch heard\n"+goodEnd+untilEnd)
			o, err := d.Run(t.Context(), s, func(agent.Event) {})
			if fault.KindOf(err) != c.kind || err != nil && !strings.Contains(err.Error(), c.names) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			_, stat := os.Stat(filepath.Join(s.Dir, "heard"))
			if heard := stat == nil; heard != (c.kind == "") {
				t.Errorf("it heard the prompt: %v", heard)
			}
			if left := agenttest.Processes(t, s.ID); left != nil {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// TestDoesNotExit has a binary that does not exit at the end of its input.
func TestDoesNotExit(t *testing.T) {
	d, s := stub(t, greeting+goodEnd+"trap '' TERM\nwhile :; do sleep 0.05; done\n")
	s.Wall = 0 // nothing else ends it
	if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Kind != agent.Completed || o.Text != "ok" {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

func TestNoResult(t *testing.T) {
	d, s := stub(t, greeting+"echo 'it broke' >&2; exit 3\n")
	o, err := d.Run(t.Context(), s, func(agent.Event) {})
	if err != nil || o.Kind != agent.Errored || !strings.Contains(o.Text, "exit code 3: it broke") {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

// TestPinnedBinary has the tests run the version that the driver takes.
func TestPinnedBinary(t *testing.T) {
	page, err := os.ReadFile("../../../test/agents/package.json")
	if want := `"@openai/codex": "` + Pinned + `"`; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("test/agents does not install %s (%v)", want, err)
	}
}

func TestBadStarts(t *testing.T) {
	d, good := stub(t, "")
	for name, c := range map[string]struct {
		change func(d *Driver, s *agent.Session)
		kind   fault.Kind
	}{
		"no binary":    {func(d *Driver, _ *agent.Session) { d.cfg.Binary = "/nowhere/codex" }, fault.Infra},
		"no workspace": {func(_ *Driver, s *agent.Session) { s.Dir = "/nowhere" }, fault.Infra},
		"bad id":       {func(_ *Driver, s *agent.Session) { s.ID = "../x" }, fault.Internal},
		"no model":     {func(_ *Driver, s *agent.Session) { s.Model = "" }, fault.Internal},
		"no prompt":    {func(_ *Driver, s *agent.Session) { s.Prompt = "" }, fault.Internal},
		"relative":     {func(_ *Driver, s *agent.Session) { s.StateDir = "state" }, fault.Internal},
		"login":        {func(_ *Driver, s *agent.Session) { s.Login = true }, fault.Input},
	} {
		t.Run(name, func(t *testing.T) {
			s, other := good, New(d.cfg)
			c.change(other, &s)
			if _, err := other.Run(t.Context(), s, func(agent.Event) {}); fault.KindOf(err) != c.kind {
				t.Errorf("error: %v", err)
			}
		})
	}
}
