package codex

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/task"
)

// Models of the binary's own list. It offers its tools to one as functions, and to the other in a script of JavaScript.
const (
	direct   = "gpt-5.5"
	codeMode = "gpt-6-sol"
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
	binary := agenttest.CodexBinary(t)
	model := agenttest.NewServer(t, script)
	b := &bench{model: model, session: agent.Session{
		ID: uuid.NewString(), Role: role, Dir: t.TempDir(), StateDir: t.TempDir(), System: "You are tested.\nRole: " + string(role) + "\n",
		Prompt: "Do what is to be done.", Model: direct, ReadOnly: role.ReadOnly(), Wall: time.Minute,
		Endpoint: agent.Endpoint{BaseURL: model.URL, Token: "session-token"},
	}}
	b.session.Permit = agenttest.Inside(b.session)
	b.Driver = New(Config{Config: program.Config{Binary: binary, Path: os.Getenv("PATH"), Log: slog.New(slog.NewTextHandler(t.Output(), nil))}, Retries: -1})
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

// bash and write are calls as a model makes them that gets its tools as functions.
func bash(command string) agenttest.Tool {
	return agenttest.Tool{Name: "exec_command", Input: map[string]any{"cmd": command}}
}

func write(path, content string) agenttest.Tool {
	return agenttest.Tool{Name: "apply_patch", Text: patch(path, content)}
}

// patch adds a file.
func patch(path, content string) string {
	var b strings.Builder
	for line := range strings.Lines(content) {
		b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
	}
	return "*** Begin Patch\n*** Add File: " + path + "\n" + b.String() + "*** End Patch\n"
}

// scripted is a call of the one tool of a model that writes scripts. It makes the call that f names, and shows what comes back.
func scripted(f string, argument any) agenttest.Tool {
	in, _ := json.Marshal(argument)
	return agenttest.Tool{Name: "exec", Text: fmt.Sprintf("text(JSON.stringify(await tools.%s(%s)))", f, in)}
}

// spoken has the turns of a scripted model make their calls as Codex offers them to the model.
func spoken(model string, turns []agenttest.Turn) []agenttest.Turn {
	for _, t := range turns {
		for i, tool := range t.Tools {
			switch command, path := tool.Input["command"], tool.Input["file_path"]; {
			case command != nil && model == codeMode:
				t.Tools[i] = scripted("exec_command", map[string]any{"cmd": command})
			case command != nil:
				t.Tools[i] = bash(command.(string))
			case model == codeMode:
				t.Tools[i] = scripted("apply_patch", patch(path.(string), tool.Input["content"].(string)))
			default:
				t.Tools[i] = write(path.(string), tool.Input["content"].(string))
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

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
