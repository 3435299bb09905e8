package opencode

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// bench is a driver of the real binary, a scripted model and a workspace.
type bench struct {
	*Driver
	model   *agenttest.Server
	session agent.Session
}

// newBench makes a bench whose session has the role.
func newBench(t *testing.T, role task.Role, script agenttest.Script) *bench {
	t.Helper()
	binary := agenttest.OpenCodeBinary(t)
	model := agenttest.NewServer(t, script)
	b := &bench{model: model, session: agent.Session{
		ID: uuid.NewString(), Role: role, Dir: t.TempDir(), StateDir: t.TempDir(), System: "You are tested.\nRole: " + string(role) + "\n",
		Prompt: "Do what is to be done.", Model: "some-model", ReadOnly: role.ReadOnly(), Wall: time.Minute,
		Endpoint: agent.Endpoint{BaseURL: model.URL, Token: "session-token", OpenAI: true},
	}}
	b.session.Permit = agenttest.Inside(b.session)
	b.Driver = New(Config{Binary: binary, Path: os.Getenv("PATH"), Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	return b
}

// run runs the session, which must not fail and must leave no process.
func (b *bench) run(t *testing.T) (agent.Outcome, *agenttest.Events) {
	t.Helper()
	var e agenttest.Events
	o, err := b.Run(t.Context(), b.session, e.Emit)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if left := agenttest.Processes(t, b.session.ID); left != nil {
		t.Errorf("processes are left: %v", left)
	}
	return o, &e
}

// one is a script for the sessions of a role.
func one(role task.Role, turns ...agenttest.Turn) agenttest.Script {
	return agenttest.Script{Key: "session-token", KeepBodies: true, Rules: []agenttest.Rule{{Name: "it", Role: role, Turns: turns}}}
}

// bash and write are calls as a model makes them.
func bash(command string) agenttest.Tool {
	return agenttest.Tool{Name: "bash", Input: map[string]any{"command": command, "description": "a step"}}
}

func write(path, content string) agenttest.Tool {
	return agenttest.Tool{Name: "write", Input: map[string]any{"filePath": path, "content": content}}
}

// inOpenCode has the turns of a scripted model make their calls as OpenCode offers them to the model.
func inOpenCode(turns []agenttest.Turn) []agenttest.Turn {
	for _, t := range turns {
		for i, tool := range t.Tools {
			if command := tool.Input["command"]; command != nil {
				t.Tools[i] = bash(command.(string))
			} else {
				t.Tools[i] = write(tool.Input["file_path"].(string), tool.Input["content"].(string))
			}
		}
	}
	return turns
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
