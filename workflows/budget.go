package workflows

import (
	"fmt"
	"math"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// budget counts what the task has used, in US dollars and in running time, against what it may use.
type budget struct {
	facts
	before  task.Usage    // used before the first of these sessions
	maxCost float64       // the operator's, 0 for none
	maxTime time.Duration // the operator's, 0 for none

	admissions *admissions // which keep money of the day's for the task
}

// restore takes over what was used before.
func (bu *budget) restore(used task.Usage) { bu.before = used }

// limit sets what the operator allows in all; 0 for no limit.
func (bu *budget) limit(cost float64, running time.Duration) { bu.maxCost, bu.maxTime = cost, running }

// handover is what the workflow of the pull request goes on from.
func (bu *budget) handover() signals.Budget {
	s := bu.status
	return signals.Budget{
		Usage: s.Usage, BudgetUSD: s.BudgetUSD, Worked: s.Worked, BudgetTime: s.BudgetTime, MaxCost: bu.maxCost, MaxTime: bu.maxTime,
	}
}

// over tells whether the budget is more than the operator allows, in money and in time.
func (bu *budget) over() (cost, running bool) {
	return bu.maxCost > 0 && bu.status.BudgetUSD > bu.maxCost, bu.maxTime > 0 && bu.status.BudgetTime > bu.maxTime
}

// reservedAdded is the change since which money that a person adds does not pass what limiters have reserved for the task.
const reservedAdded = "reserved-added"

// passes tells whether the budget, with what a person has added, is more than most, which limiters have reserved; 0 is no limit.
func (bu *budget) passes(ctx workflow.Context, most float64) bool {
	return most > 0 && bu.status.BudgetUSD > most && workflow.GetVersion(ctx, reservedAdded, workflow.DefaultVersion, 1) >= 1
}

// raise adds to the budget, up to what the operator allows and the limiters have reserved, and says so when that is less.
func (bu *budget) raise(ctx workflow.Context, cost float64, running time.Duration) (limited string) {
	before := bu.status.BudgetUSD
	bu.status.BudgetUSD += cost
	bu.status.BudgetTime += running
	overCost, overTime := bu.over()
	if overCost {
		bu.status.BudgetUSD, limited = bu.maxCost, fmt.Sprintf("; the operator allows %s in all", usd(bu.maxCost))
	}
	if overTime {
		bu.status.BudgetTime, limited = bu.maxTime, limited+fmt.Sprintf("; the operator allows %s in all", spell(bu.maxTime))
	}
	if most := bu.admissions.allowed(); cost > 0 && !bu.admissions.leaves() && bu.passes(ctx, most) {
		bu.status.BudgetUSD = max(before, most)
		limited += fmt.Sprintf("; the limit of a day's cost leaves it %s in all, and more can be added once they are used", usd(most))
	}
	return limited
}

// lifts refuses to resume a task that is suspended because its money or running time is used up, and that would be suspended again at once:
// with what the request adds, it is used up still.
func (bu *budget) lifts(r signals.ResumeRequest) error {
	s := bu.status
	if s.Phase != task.Suspended || s.Reason != signals.ReasonBudget && s.Reason != signals.ReasonTime {
		return nil
	}
	more, _ := addTime(r) // validated
	if used := s.Usage.CostUSD; s.Reason == signals.ReasonBudget && used >= within(s.BudgetUSD+r.AddCost, bu.maxCost) {
		f := fault.New(fault.Conflict, "addCost %v: %s of %s are used, so the task would be suspended again at once", r.AddCost, usd(used),
			usd(s.BudgetUSD))
		if bu.maxCost > 0 && used >= bu.maxCost {
			return f.WithHint("`abandon` it: the operator allows %s in all", usd(bu.maxCost))
		}
		return f.WithHint("`resume` with `--add-cost %.0f`, which is addCost in Temporal Web", 5+math.Floor(used-s.BudgetUSD))
	}
	if used := s.Worked; used >= within(s.BudgetTime+more, bu.maxTime) {
		f := fault.New(fault.Conflict, "addTime %s: %s of %s of running time are used, so the task would be suspended again at once", spell(more),
			spell(used), spell(s.BudgetTime))
		if bu.maxTime > 0 && used >= bu.maxTime {
			return f.WithHint("`abandon` it: the operator allows %s in all", spell(bu.maxTime))
		}
		over := (used - s.BudgetTime).Truncate(30 * time.Minute)
		return f.WithHint("`resume` with `--add-time %s`, which is addTime in Temporal Web", spell(30*time.Minute+over))
	}
	return nil
}

// within returns a budget, or most when that is less; 0 is no limit.
func within[T float64 | time.Duration](budget, most T) T {
	if most > 0 {
		return min(budget, most)
	}
	return budget
}

// hostUsage is what a session has used on one host, over all its attempts there.
type hostUsage struct {
	host  string
	usage task.Usage
}

// on returns the session's usage on a host.
func (s *session) on(host string) *task.Usage {
	for i := range s.spent {
		if s.spent[i].host == host {
			return &s.spent[i].usage
		}
	}
	s.spent = append(s.spent, hostUsage{host: host})
	return &s.spent[len(s.spent)-1].usage
}

// count adds the session's usage to the task's.
func (bu *budget) count(s *session) {
	var own task.Usage
	sum := bu.before
	for _, h := range s.spent {
		own = own.Add(h.usage)
	}
	bu.entry(s).Usage = own
	for _, e := range bu.status.Sessions {
		sum = sum.Add(e.Usage)
	}
	bu.status.Usage = sum
}

// left is what the session may still cost: the rest of the task's budget, or of its own if that is less.
func (bu *budget) left(s *session) float64 {
	rest := bu.status.BudgetUSD - bu.status.Usage.CostUSD
	if s.cap > 0 {
		rest = min(rest, s.cap-bu.entry(s).Usage.CostUSD)
	}
	return rest
}

func usd(v float64) string { return fmt.Sprintf("$%.2f", v) }

// worked counts running time against the task's budget.
func (bu *budget) worked(d time.Duration) { bu.status.Worked += d }
