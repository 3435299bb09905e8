package opencode

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func reports(tool string, input map[string]any) agenttest.Turn {
	return agenttest.Turn{Tools: []agenttest.Tool{{Name: "longshift_" + tool, Input: input}}}
}

// TestReports has the real agent report by tools, each of which is asked about. The last report ends the session, and nothing that comes after
// it is told.
func TestReports(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer,
		reports("note_save", map[string]any{"text": "Dates are UTC."}),
		reports("deliverable_set_status", map[string]any{"id": "FIX-002", "status": "passed", "text": "fix: subtract"}),
		reports("deliverable_set_status", map[string]any{"id": "FIX-001", "status": "passed", "text": "fix: add"})))
	r := agenttest.Reports(t, task.Implementer)
	b.session.Reports, b.session.OpenAI = r.Endpoint(), false
	b.session.Model, b.session.Thinking = "opus", 2048
	var asked agenttest.Record
	b.session.Permit = asked.Of(b.session.Permit)
	o, e := b.run(t)
	end, ended := r.Ended()
	if o.Kind != agent.Completed || !ended || end.Kind != task.Progress || end.Text != "fix: add" {
		t.Errorf("outcome %+v, the report: %+v", o, end)
	}
	if said := e.Of(agent.Text); len(said) != 0 {
		t.Errorf("it went on and said %+v", said)
	}
	calls := b.model.Calls()
	if n := len(calls); n > 4 || calls[0].Model != "claude-opus-5-5" { // one may have begun before the interruption
		t.Errorf("%d calls of the model %s", n, calls[0].Model)
	}
	for i, want := range []string{"recorded", "works on FIX-001 and reports on no other"} { // the answer to the last one may be cut off
		if got := e.Of(agent.ToolResult); len(got) <= i || !strings.Contains(got[i].Text, want) {
			t.Errorf("answer %d of %+v is not %q", i, got, want)
		}
	}
	offered := []string{"bash", "edit", "read", "todowrite", "write"}
	for _, name := range b.session.Reports.Tools {
		offered = append(offered, "longshift_"+name)
	}
	if slices.Sort(offered); !slices.Equal(slices.Sorted(slices.Values(calls[0].Tools)), offered) {
		t.Errorf("the model is offered %q, wanted %q", calls[0].Tools, offered)
	}
	if calls := asked.Calls(); len(calls) != 3 || calls[2].Tool != "mcp__longshift__deliverable_set_status" || !strings.Contains(string(calls[2].Input), "fix: add") {
		t.Errorf("asked about %+v", calls)
	}
}

// TestReportsInTurn has the model write several calls at once, which the binary makes at the same time. Each report waits for the calls before it, so
// that nothing is cut off by the one that ends the session.
func TestReportsInTurn(t *testing.T) {
	t.Parallel()
	status := func(id string) agenttest.Tool {
		return reports("deliverable_set_status", map[string]any{"id": id, "status": "passed", "text": "fix: add"}).Tools[0]
	}
	bash := func(command string) agenttest.Tool {
		return agenttest.Tool{Name: "bash", Input: map[string]any{"command": command, "description": "try"}}
	}
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{
		bash("sleep 0.5"), status("FIX-002"), // which is not the session's
		bash("sleep 2; echo done > done.txt"), reports("note_save", map[string]any{"text": "Dates are UTC."}).Tools[0], status("FIX-001"),
	}}))
	r := agenttest.Reports(t, task.Implementer)
	b.session.Reports = r.Endpoint()
	o, e := b.run(t)
	if _, ended := r.Ended(); o.Kind != agent.Completed || !ended {
		t.Errorf("outcome %+v", o)
	}
	var said []string
	for _, result := range e.Of(agent.ToolResult) {
		said = append(said, result.Text)
	}
	// The answer to the last report may be cut off: the session ends with the report.
	if len(said) != 5 || !strings.Contains(said[1], "reports on no other") || said[3] != "recorded" {
		t.Errorf("the calls have come back with %q", said)
	}
	if done := read(t, b.session.Dir, "done.txt"); done != "done\n" {
		t.Errorf("the command has written %q", done)
	}
}

// TestReportsMustAnswer starts no session without the server that it reports to.
func TestReportsMustAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Planner, one(task.Planner, agenttest.Turn{Text: "Never said."}))
	b.session.Reports = agenttest.Reports(t, task.Planner).Endpoint()
	b.session.Reports.Token = "wrong"
	_, err := b.Run(t.Context(), b.session, func(agent.Event) {})
	if fault.KindOf(err) != fault.Infra || len(b.model.Calls()) != 0 {
		t.Errorf("error %v, the model was called %d times", err, len(b.model.Calls()))
	}
}
