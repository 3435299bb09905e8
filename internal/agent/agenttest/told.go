package agenttest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// passesOn allows a call with something that a person says with it. The model has it with its next call.
func passesOn(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Command: "sleep 0.3"}, Step{Command: "touch b.txt"}, Step{Say: "Done."})
	if f.driver.Untold != "" {
		return
	}
	const said = "a person says: use tabs"
	f.Session.Permit = func(_ context.Context, c agent.Call) agent.Decision {
		d := agent.Decision{Allow: true}
		if strings.Contains(string(c.Input), "sleep") {
			d.Reason = said
		}
		return d
	}
	if o, _ := f.run(t.Context(), t); o.Kind != agent.Completed || o.Text != "Done." {
		t.Errorf("outcome: %+v", o)
	}
	calls := f.Model.Calls()
	if last := calls[len(calls)-1]; !strings.Contains(string(last.Body), said) {
		t.Errorf("the model was not told in %d calls", len(calls))
	}
}

// keepsKey has a command look for what the agent reaches its model with.
func keepsKey(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Command: "env > env.txt"}, Step{Say: "Done."})
	if o, _ := f.run(t.Context(), t); o.Kind != agent.Completed {
		t.Errorf("outcome: %+v", o)
	}
	env, err := os.ReadFile(filepath.Join(f.Session.Dir, "env.txt"))
	sees := f.Session.Token != "" && strings.Contains(string(env), f.Session.Token)
	if err != nil || !strings.Contains(string(env), "PATH=") || sees != (f.driver.Token != "") {
		t.Errorf("the command has %q, %v", env, err)
	}
}
