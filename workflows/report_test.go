package workflows

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestDetails(t *testing.T) {
	p := &journal{facts: facts{status: &signals.Status{
		Phase: task.Suspended, Reason: signals.ReasonBudget, Detail: "$0.05 of $0.05 are used", NextAction: nextAction(signals.ReasonBudget),
		Task: "make\n# <b>it</b> *work* for $5, `now`, [so](x) | \\[or so](y)", Branch: "longshift/x", Host: "h1", Worked: 61 * time.Second,
		BudgetTime: 2 * time.Hour,
		Iteration:  1, Iterations: 10, Sessions: make([]signals.Session, 2), Check: &signals.Check{ExitCode: 1},
		Plan: &task.Plan{Revision: 3, Summary: "do it", Deliverables: []task.Deliverable{
			{ID: "A-001", Description: "one", Status: task.Passed}, {ID: "B-002", Description: "two", Status: task.Blocked, Reason: "no_way"}, {ID: "C-003", Description: "three", Status: task.Pending},
		}},
	}}}
	p.status.Usage.CostUSD, p.status.BudgetUSD = 0.0531, 20
	want := "**SUSPENDED**\n\n" +
		"- **Next human action:** `resume` with addCost, or `abandon`\n" +
		"- **budget:** \\$0.05 of \\$0.05 are used\n" +
		"- **Cost:** 0.05 of 20.00 USD\n- **Time:** 1m1s of 2h\n- **Sessions:** 2, round 1 of 10\n- **Checks:** failed\n" +
		"- **Branch:** `longshift/x` on host `h1`\n" +
		"\n**Plan, revision 3:** do it\n\n- ☑ A-001 one\n- ☒ B-002 two (blocked: no\\_way)\n- ☐ C-003 three\n" +
		"\n**Task:** make # \\<b>it\\</b> \\*work\\* for \\$5, \\`now\\`, \\[so](x) \\| \\\\\\[or so](y)\n"
	if got := p.details(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDetailsAreShort keeps the page in the size that Temporal Web can show, whatever a model and people write.
func TestDetailsAreShort(t *testing.T) {
	long := strings.Repeat("$é", 5000)
	p := &journal{facts: facts{status: &signals.Status{Phase: task.Ended, Outcome: task.AllBlocked, Detail: long, Task: long, NextAction: "none", Branch: "b",
		Plan: &task.Plan{Summary: long}}}}
	for i := range 100 {
		p.status.Plan.Deliverables = append(p.status.Plan.Deliverables,
			task.Deliverable{ID: fmt.Sprintf("X-%03d", i), Description: long, Status: task.Blocked, Reason: long})
	}
	if n := len(p.details()); n > 4000 {
		t.Errorf("%d bytes", n)
	}
}
