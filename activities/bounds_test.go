package activities

import (
	"testing"
	"time"

	"github.com/longshift/longshift/task"
)

// A host that was set up without the operator's limits keeps to those of the control worker, and a stricter one of its own counts.
func TestBoundsOfTheControlWorkerHold(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Limits.MaxIterations = 2
	b.start()
	out, err := b.PrepareWorkspace(t.Context(), PrepareInput{Ref: b.ref, Repository: task.Repository{Text: b.remote, Path: b.remote}, Title: "Fix the sum",
		Bounds: task.Bounds{MaxCost: 3, MaxTime: time.Hour, MaxIterations: 5, Approval: task.ApprovalRequired}})
	must(t, err)
	s := out.Settings
	if s.Budget.Cost != 3 || s.Budget.Time != task.Duration(time.Hour) || s.Iterations != 2 || s.Approval.Mode != task.ApprovalRequired {
		t.Errorf("settings %+v", s)
	}
	if out.MaxCost != 3 || out.MaxTime != time.Hour {
		t.Errorf("a resume may give up to %v $ and %v", out.MaxCost, out.MaxTime)
	}
}
