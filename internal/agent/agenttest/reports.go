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
	r, err := reporting.Open(reporting.Spec{Role: role, File: filepath.Join(t.TempDir(), "reports.jsonl"),
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
