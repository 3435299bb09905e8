package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// hostUsage is what a session has used on one host. Each host counts by itself, over all its attempts there.
type hostUsage struct {
	host  string
	usage task.Usage
}

// on gives the session's count on a host.
func (s *session) on(host string) *task.Usage {
	for i := range s.spent {
		if s.spent[i].host == host {
			return &s.spent[i].usage
		}
	}
	s.spent = append(s.spent, hostUsage{host: host})
	return &s.spent[len(s.spent)-1].usage
}

// count brings the session's usage into the task's.
func (t *pipeline) count(s *session) {
	var own task.Usage
	sum := t.before
	for _, h := range s.spent {
		own = own.Add(h.usage)
	}
	t.entry(s).Usage = own
	for _, e := range t.status.Sessions {
		sum = sum.Add(e.Usage)
	}
	t.status.Usage = sum
}

// left is what the session may still cost: the rest of the task's budget, or of its own if that is less.
func (t *pipeline) left(s *session) float64 {
	rest := t.status.BudgetUSD - t.status.Usage.CostUSD
	if s.cap > 0 {
		rest = min(rest, s.cap-t.entry(s).Usage.CostUSD)
	}
	return rest
}

// afford parks the task while there is no money or no time for the session.
func (t *pipeline) afford(ctx workflow.Context, s *session) error {
	for {
		switch {
		case s.cap > 0 && t.entry(s).Usage.CostUSD >= s.cap && t.status.Usage.CostUSD < t.status.BudgetUSD:
			spent := t.entry(s).Usage.CostUSD
			if err := t.suspend(ctx, signals.ReasonBudget, "planning has used %s of its %s", usd(spent), usd(s.cap)); err != nil {
				return err
			}
			s.cap += t.settings.Budget.PlanCost
		case t.status.Usage.CostUSD >= t.status.BudgetUSD:
			if err := t.suspend(ctx, signals.ReasonBudget, "%s of %s are used", usd(t.status.Usage.CostUSD), usd(t.status.BudgetUSD)); err != nil {
				return err
			}
		case t.status.Worked >= t.status.BudgetTime:
			if err := t.haveTime(ctx); err != nil {
				return err
			}
		default:
			return nil
		}
		t.note(s)
	}
}

// haveTime parks the task while its running time is used up.
func (t *pipeline) haveTime(ctx workflow.Context) error {
	for t.status.Worked >= t.status.BudgetTime {
		if err := t.suspend(ctx, signals.ReasonTime, "%s of %s of running time are used", round(t.status.Worked), round(t.status.BudgetTime)); err != nil {
			return err
		}
	}
	return nil
}

func usd(v float64) string { return fmt.Sprintf("$%.2f", v) }

func round(d time.Duration) time.Duration { return d.Round(time.Second) }
