package agenttest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

func endsByDecision(t *testing.T, make Factory) {
	for _, kind := range []agent.OutcomeKind{agent.NeedsApproval, agent.Looped} {
		f := make(t, task.Implementer,
			Step{Write: &File{"a.txt", "x"}}, Step{Command: "touch b.txt"}, Step{Command: "touch c.txt"}, Step{Say: "It went on."})
		normal := f.Session.Permit
		f.Session.Permit = func(ctx context.Context, c agent.Call) agent.Decision {
			if strings.Contains(string(c.Input), "b.txt") {
				return agent.Decision{Allow: true, Reason: "a person is asked about touch", End: kind}
			}
			return normal(ctx, c)
		}
		o, events := f.run(t.Context(), t)
		if o.Kind != kind || o.Text != "a person is asked about touch" || o.SessionID == "" || o.Usage.Input == 0 && f.driver.Silent == "" {
			t.Errorf("outcome: %+v", o)
		}
		if no := denied(events); len(no) != 1 || no[0].Text != "a person is asked about touch" || texts(events) != nil {
			t.Errorf("events: %+v", events)
		}
		absent(t, f, "b.txt", "c.txt")
		var asked Record
		f.Session.Permit, f.Session.Resume = asked.Of(normal), true
		if o, _ := f.run(t.Context(), t); o.Kind != agent.Completed || o.Text != "It went on." || !o.Resumed {
			t.Errorf("outcome of the attempt after it: %+v", o)
		}
		for _, c := range asked.Calls() {
			if strings.Contains(string(c.Input), "a.txt") {
				t.Error("what was done was done again")
			}
		}
		if _, err := os.Stat(filepath.Join(f.Session.Dir, "c.txt")); err != nil {
			t.Errorf("the rest was not done: %v", err)
		}
	}
}

// changesCalls allows other calls than those that the model makes. A driver that can't change a call refuses it, and says what is allowed.
func changesCalls(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Write: &File{"a.txt", "x"}}, Step{Command: "touch b.txt"}, Step{Say: "Done."})
	f.Session.Permit = func(_ context.Context, c agent.Call) agent.Decision {
		in := strings.NewReplacer("a.txt", "c.txt", "b.txt", "d.txt").Replace(string(c.Input))
		return agent.Decision{Allow: true, Input: json.RawMessage(in), Reason: "other names"}
	}
	o, events := f.run(t.Context(), t)
	no := denied(events)
	absent(t, f, "a.txt", "b.txt")
	if f.driver.Fixed != "" {
		if o.Kind != agent.Completed || len(no) != 2 || !strings.Contains(no[0].Text, "c.txt") || !strings.Contains(no[1].Text, "d.txt") {
			t.Errorf("outcome %+v, refusals that should name the other calls: %+v", o, no)
		}
		return
	}
	if o.Kind != agent.Completed || len(no) != 0 {
		t.Errorf("outcome %+v, refusals %+v", o, no)
	}
	for _, name := range []string{"c.txt", "d.txt"} {
		if _, err := os.Stat(filepath.Join(f.Session.Dir, name)); err != nil {
			t.Errorf("the call as it was changed: %v", err)
		}
	}
}
