package agenttest

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/task"
)

// Reports opens the server that a session under test reports to, until the test ends. The session works on the plan's first deliverable.
func Reports(t testing.TB, role task.Role) *reporting.Session {
	t.Helper()
	return begun(t, role, reporting.Open)
}

// ReportsAfter opens the reports of a session that goes on with the process of another.
func ReportsAfter(t testing.TB, before *reporting.Session) *reporting.Session {
	t.Helper()
	before.Leave()
	return begun(t, before.Role(), before.Follow)
}

func begun(t testing.TB, role task.Role, open func(reporting.Spec) (*reporting.Session, error)) *reporting.Session {
	t.Helper()
	r, err := open(reporting.Spec{Role: role, File: filepath.Join(t.TempDir(), "reports.jsonl"),
		Hide: func(text string) string { return text }, Now: time.Now, Log: slog.Default()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	about := reporting.About{Accepted: func(reporting.Report) {}}
	if role == task.Implementer {
		about.Plan = &task.Plan{Deliverables: []task.Deliverable{{ID: "FIX-001", Description: "It adds."}, {ID: "FIX-002", Description: "It subtracts."}}}
		about.Deliverable = &about.Plan.Deliverables[0]
	}
	r.Begin(about)
	return r
}
