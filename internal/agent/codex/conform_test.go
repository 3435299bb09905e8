package codex

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

func TestConform(t *testing.T) {
	for _, model := range []string{direct, codeMode} {
		t.Run(model, func(t *testing.T) {
			agenttest.Conform(t, agenttest.Driver{Agent: task.AgentCodex, Version: Pinned, Fixed: "it refuses the call, and says what is allowed"}, func(t *testing.T, role task.Role, steps ...agenttest.Step) agenttest.Fixture {
				turns := append(agenttest.Turns(steps), agenttest.Turn{Text: "Never said."}) // see itemEnds
				b := newBench(t, role, one(role, spoken(model, turns)...))
				b.session.Model = model
				return agenttest.Fixture{Agent: b.Driver, Session: b.session, Model: b.model, Crash: func() {
					recorded(t, b.session)
					agenttest.Kill(t, b.session)
				}}
			})
		})
	}
}

// recorded waits until the conversation on disk holds what the first call has come back with.
func recorded(t *testing.T, s agent.Session) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		found := false
		_ = filepath.WalkDir(filepath.Join(codexHome(s), sessionsName), func(path string, _ fs.DirEntry, _ error) error {
			data, _ := os.ReadFile(path)
			found = found || bytes.Contains(data, []byte("call_output"))
			return nil
		})
		if found {
			return
		}
	}
	t.Error("the conversation never held the result of the first call")
}
