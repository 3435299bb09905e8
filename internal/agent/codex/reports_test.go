package codex

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
	return agenttest.Turn{Tools: []agenttest.Tool{{Name: "mcp__longshift__" + tool, Input: input}}}
}

// TestReports has the real agent report by tools, each of which is asked about. The last report ends the session, and nothing that comes after
// it is told.
func TestReports(t *testing.T) {
	for _, model := range []string{direct, codeMode} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer,
				reports("note_save", map[string]any{"text": "Dates are UTC."}),
				reports("deliverable_set_status", map[string]any{"id": "FIX-002", "status": "passed", "text": "fix: subtract"}),
				reports("deliverable_set_status", map[string]any{"id": "FIX-001", "status": "passed", "text": "fix: add"})))
			r := agenttest.Reports(t, task.Implementer)
			b.session.Model, b.session.Reports = model, r.Endpoint()
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
			if n := len(b.model.Calls()); n > 4 { // one may have begun before the interruption
				t.Errorf("%d calls of the model", n)
			}
			for i, want := range []string{"recorded", "works on FIX-001 and reports on no other", "recorded; the session ends here"} {
				if got := e.Of(agent.ToolResult); len(got) <= i || !strings.Contains(got[i].Text, want) {
					t.Errorf("answer %d of %+v is not %q", i, got, want)
				}
			}
			for _, name := range b.session.Reports.Tools {
				if !slices.Contains(b.model.Calls()[0].Tools, "mcp__longshift__"+name) {
					t.Errorf("the model is not offered %s", name)
				}
			}
			if calls := asked.Calls(); len(calls) != 3 || calls[2].Tool != "mcp__longshift__deliverable_set_status" || !strings.Contains(string(calls[2].Input), "fix: add") {
				t.Errorf("asked about %+v", calls)
			}
		})
	}
}

// TestReportsMustAnswer starts no session without the server that it reports to.
func TestReportsMustAnswer(t *testing.T) {
	for name, spoil := range map[string]func(*agent.Reports){
		"nobody listens": func(r *agent.Reports) { r.URL = "http://127.0.0.1:1/mcp" },
		"wrong token":    func(r *agent.Reports) { r.Token = "wrong" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Planner, one(task.Planner, agenttest.Turn{Text: "Never said."}))
			b.session.Reports = agenttest.Reports(t, task.Planner).Endpoint()
			spoil(b.session.Reports)
			_, err := b.Run(t.Context(), b.session, func(agent.Event) {})
			if fault.KindOf(err) != fault.Infra || len(b.model.Calls()) != 0 {
				t.Errorf("error %v, the model was called %d times", err, len(b.model.Calls()))
			}
		})
	}
}
