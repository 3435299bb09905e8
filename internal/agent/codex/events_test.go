package codex

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// TestEvents tells of calls and of what they have come back with, and of thoughts.
func TestEvents(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Thinking: "Hm.", Text: "First.", Tools: []agenttest.Tool{bash("echo out"), bash("echo gone; exit 3")}},
		agenttest.Turn{Tools: []agenttest.Tool{write("a.txt", "x\n"), bash("seq 1 5000")}}, agenttest.Turn{Text: "Last."}))
	o, e := b.run(t)
	if said := e.Of(agent.Text); o.Text != "Last." || len(said) != 2 || said[0].Text != "First." || len(e.Of(agent.Thinking)) != 1 {
		t.Errorf("outcome %+v, it said %+v", o, said)
	}
	results := map[string]agent.Event{}
	for _, r := range e.Of(agent.ToolResult) {
		results[r.ID] = r
	}
	calls := e.Of(agent.ToolCall)
	if len(calls) != 4 || len(results) != 4 {
		t.Fatalf("%d calls, %d results", len(calls), len(results))
	}
	for _, c := range calls {
		r := results[c.ID]
		for call, want := range map[string]string{"echo out": "out\n", "exit 3": "gone\nexit code 3", "seq": "1\n2\n"} {
			if strings.Contains(c.Text, call) && !strings.HasPrefix(r.Text, want) {
				t.Errorf("%s came back with %q", c.Text, r.Text)
			}
		}
		if r.Failed != strings.Contains(c.Text, "exit 3") || len(r.Text) > shown+8 {
			t.Errorf("%s came back with %d bytes, failed: %v", c.Text, len(r.Text), r.Failed)
		}
	}
}
