package tasks

import (
	"testing"

	"github.com/longshift/longshift/task"
)

func TestPlanTextOfALargePlan(t *testing.T) {
	p := task.Plan{Revision: 1, Summary: "Do it", Lines: 900, Split: []string{"The parser", "Its users"},
		Deliverables: []task.Deliverable{{ID: "A-001", Description: "one", Proof: "make one", Proved: &task.Proved{Commit: "0123456789abcdef"}}}}.Measured(800)
	want := "\nPlan, revision 1: Do it\n  Size\n" +
		"    about 900 lines, more than the 800 of pullRequest.maxLines; it could be split into these tasks:\n    - The parser\n    - Its users\n" +
		"  Deliverables\n    [ ] A-001  one\n        proof: make one\n        its proof passed at 0123456789\n"
	if got := PlanText(&p); got != want {
		t.Errorf("got %q", got)
	}
	p = task.Plan{Revision: 1, Summary: "Do it"}
	if got := PlanText(&p); got != "\nPlan, revision 1: Do it\n" {
		t.Errorf("got %q", got)
	}
}
