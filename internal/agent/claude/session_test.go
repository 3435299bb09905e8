package claude

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/task"
)

// bench is a driver of the real binary, a scripted model and a workspace.
type bench struct {
	*Driver
	model   *agenttest.Server
	session agent.Session
}

// newBench makes a bench whose session has the role. The script is made when the workspace's path is known.
func newBench(t *testing.T, role task.Role, script func(dir string) agenttest.Script) *bench {
	t.Helper()
	binary := agenttest.ClaudeBinary(t)
	dir := t.TempDir()
	model := agenttest.NewServer(t, script(dir))
	b := &bench{model: model, session: agent.Session{
		ID: uuid.NewString(), Role: role, Dir: dir, StateDir: t.TempDir(), System: "You are tested.\nRole: " + string(role) + "\n",
		Prompt: "Do what is to be done.", Model: "opus", ReadOnly: role.ReadOnly(), Wall: time.Minute,
		Endpoint: agent.Endpoint{BaseURL: model.URL, Token: "session-token"},
	}}
	b.session.Permit = agenttest.Inside(b.session)
	b.Driver = New(Config{LookTime: time.Minute, EndTime: time.Minute, Config: program.Config{Binary: binary, Path: os.Getenv("PATH"), Log: slog.New(slog.NewTextHandler(t.Output(), nil))}})
	t.Cleanup(func() { b.Close() })
	return b
}

// run runs the bench's session and fails the test on an error.
func (b *bench) run(t *testing.T) (agent.Outcome, *agenttest.Events) {
	t.Helper()
	var e agenttest.Events
	o, err := b.Run(t.Context(), b.session, e.Emit)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	return o, &e
}

// one is a script of one rule for the role.
func one(role task.Role, turns ...agenttest.Turn) func(string) agenttest.Script {
	return func(string) agenttest.Script {
		return agenttest.Script{KeepBodies: true, Rules: []agenttest.Rule{{Name: "it", Role: role, Turns: turns}}}
	}
}

func call(tool string, input ...string) agenttest.Tool {
	in := map[string]any{}
	for i := 0; i < len(input); i += 2 {
		in[input[i]] = input[i+1]
	}
	return agenttest.Tool{Name: tool, Input: in}
}

func bash(command string) agenttest.Tool {
	return call("Bash", "command", command, "description", "test")
}

func TestTwoTools(t *testing.T) {
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		return one(task.Implementer,
			agenttest.Turn{Text: "I write.", Tools: []agenttest.Tool{call("Write", "file_path", filepath.Join(dir, "a.txt"), "content", "one\n")},
				Usage: task.Usage{Input: 1000, Output: 200, CacheRead: 3000, CacheWrite: 4000}},
			agenttest.Turn{Tools: []agenttest.Tool{bash("echo two >> a.txt")}},
			agenttest.Turn{Text: "All done.\n<DONE>a</DONE>"})(dir)
	})
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "All done.\n<DONE>a</DONE>" || o.SessionID != b.session.ID || o.Resumed || o.Turns == 0 {
		t.Errorf("outcome: %+v", o)
	}
	if got := read(t, b.session.Dir, "a.txt"); got != "one\ntwo\n" {
		t.Errorf("a.txt holds %q", got)
	}
	want := b.model.Usage()
	want.CostUSD = (1200*4 + 300*20 + 4000*5 + 3000*0.2) / 1e6 // the list price of opus per million tokens
	if diff := o.Usage.CostUSD - want.CostUSD; diff > 1e-9 || diff < -1e-9 {
		t.Errorf("cost is %v, wanted %v", o.Usage.CostUSD, want.CostUSD)
	}
	o.Usage.CostUSD = want.CostUSD
	if o.Usage != want {
		t.Errorf("usage is %+v, the model gave out %+v", o.Usage, want)
	}
	var kinds []string
	for _, v := range e.All() {
		kinds = append(kinds, strings.TrimSpace(string(v.Kind)+" "+v.Tool))
	}
	order := []string{"started", "text", "tool_call Write", "tool_result", "tool_call Bash", "tool_result", "text", "usage"}
	if !slices.Equal(kinds, order) {
		t.Errorf("events are %q, wanted %q", kinds, order)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
