package claude

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// reporter makes a bench whose session has tools to report by.
func reporter(t *testing.T, role task.Role, turns ...agenttest.Turn) (*bench, *reporting.Session) {
	t.Helper()
	b := newBench(t, role, one(role, turns...))
	r := agenttest.Reports(t, role)
	b.session.Reports = r.Endpoint()
	return b, r
}

func report(tool string, input ...string) agenttest.Turn {
	return agenttest.Turn{Tools: []agenttest.Tool{call("mcp__longshift__"+tool, input...)}}
}

// TestReports has the real agent report by tools. The last report ends the session without a further call of the model.
func TestReports(t *testing.T) {
	t.Parallel()
	b, r := reporter(t, task.Implementer,
		report("note_save", "text", "Dates are UTC."),
		report("deliverable_set_status", "id", "FIX-002", "status", "passed", "text", "fix: subtract"),
		report("deliverable_set_status", "id", "FIX-001", "status", "passed", "text", "fix: add"))
	var e agenttest.Events
	o, err := b.Run(t.Context(), b.session, e.Emit)
	if err != nil || o.Kind != agent.Completed {
		t.Fatalf("outcome %+v, error %v", o, err)
	}
	end, ended := r.Ended()
	if !ended || end.Kind != task.Progress || end.Text != "fix: add" || end.ID == "" {
		t.Errorf("the report: %+v", end)
	}
	if calls := b.model.Calls(); len(calls) != 3 {
		t.Errorf("%d calls of the model", len(calls))
	}
	for _, name := range b.session.Reports.Tools {
		if !slices.Contains(b.model.Calls()[0].Tools, "mcp__longshift__"+name) {
			t.Errorf("the model is not offered %s", name)
		}
	}
	for i, want := range []string{"recorded", "works on FIX-001 and reports on no other", "recorded; the session ends here"} {
		if got := e.Of(agent.ToolResult); len(got) <= i || !strings.Contains(got[i].Text, want) {
			t.Errorf("answer %d of %+v is not %q", i, got, want)
		}
	}
}

// TestReportsUnreachable runs no session that could not report.
func TestReportsUnreachable(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*agent.Reports, *reporting.Session){
		"gone":        func(_ *agent.Reports, r *reporting.Session) { r.Close() },
		"wrong token": func(e *agent.Reports, _ *reporting.Session) { e.Token = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := reporter(t, task.Implementer, agenttest.Turn{Text: "Never said."})
			spoil(b.session.Reports, r)
			b.session.Images = []agent.Image{picture(t, 30)} // a prompt with images waits as any other
			wait := b.session.Reports.Wait
			b.session.Reports.Wait = func(ctx context.Context) error { // the real one gives up after connectTime
				ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
				defer cancel()
				return wait(ctx)
			}
			o, err := b.Run(t.Context(), b.session, func(agent.Event) {})
			if fault.KindOf(err) != fault.Infra || !strings.Contains(err.Error(), "server that it reports to") {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			if n := len(b.model.Calls()); n != 0 {
				t.Errorf("%d calls of the model", n)
			}
		})
	}
}
