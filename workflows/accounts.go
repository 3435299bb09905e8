package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// longestRest is how long an account is left alone at most. The longest quotas that are known are weekly.
const longestRest = 8 * 24 * time.Hour

// believed is the time until which an API says that a quota is used up, or longestRest from now: what it says may be wrong.
func believed(ctx workflow.Context, until time.Time) time.Time {
	if longest := workflow.Now(ctx).Add(longestRest); until.After(longest) {
		return longest
	}
	return until
}

// accounts is the state of Accounts.
type accounts struct {
	signals.AccountsState
	asked   bool // it has taken a request, or is a later run
	changed bool // an account was added since the last look
}

// Accounts keeps which accounts of models are used up, so that one task's refusal spares all others theirs. state is that of the run before,
// nil for none. It ends when all accounts have quota again.
func Accounts(ctx workflow.Context, state *signals.AccountsState) error {
	a := &accounts{}
	if state != nil {
		a.AccountsState, a.asked = *state, true
	}
	err := errors.Join(
		workflow.SetQueryHandlerWithOptions(ctx, signals.QueryAccounts, func() (signals.AccountsState, error) { return a.AccountsState, nil },
			workflow.QueryHandlerOptions{Description: "which accounts are left alone, and until when"}),
		onUpdate(ctx, signals.Cool, notForPeople+"a task was told that an account is used up", nil, a.cool))
	if err != nil {
		return err
	}
	for {
		a.changed = false
		a.drop(workflow.Now(ctx))
		a.page().put(ctx)
		switch done := workflow.AllHandlersFinished(ctx); {
		case done && a.asked && len(a.Cooling) == 0:
			return nil
		case done && workflow.GetInfo(ctx).GetContinueAsNewSuggested():
			return workflow.NewContinueAsNewError(ctx, signals.Accounts, &a.AccountsState)
		}
		if err := a.wait(ctx); err != nil {
			return err
		}
	}
}

// wait waits until the next account has quota again, or another one is added.
func (a *accounts) wait(ctx workflow.Context) error {
	if len(a.Cooling) == 0 { // its first request is about to be handled
		return workflow.Await(ctx, func() bool { return a.changed })
	}
	next := slices.MinFunc(a.Cooling, func(a, b signals.Cooling) int { return a.Until.Compare(b.Until) })
	return timer(ctx, next.Until.Sub(workflow.Now(ctx)), next.Account+" has quota again", func() bool { return a.changed })
}

// cool adds an account. Of two times the later one counts.
func (a *accounts) cool(ctx workflow.Context, c signals.Cooling) (none struct{}, err error) {
	a.asked, a.changed = true, true
	c.Until = believed(ctx, c.Until)
	c.Since, c.Why = workflow.Now(ctx), excerpt.Line(c.Why, 200)
	for i, was := range a.Cooling {
		if was.Account == c.Account {
			if c.Until.After(was.Until) {
				a.Cooling[i].Until, a.Cooling[i].Why = c.Until, c.Why
			}
			return none, nil
		}
	}
	a.Cooling = append(a.Cooling, c)
	slices.SortFunc(a.Cooling, func(a, b signals.Cooling) int { return cmp.Compare(a.Account, b.Account) })
	return none, nil
}

func (a *accounts) drop(now time.Time) {
	a.Cooling = slices.DeleteFunc(a.Cooling, func(c signals.Cooling) bool { return !c.Until.After(now) })
}

func (a *accounts) page() *page {
	p := &page{}
	if len(a.Cooling) == 0 {
		p.title("available", "every account has quota")
		return p
	}
	p.title(fmt.Sprintf("%d used up", len(a.Cooling)), "")
	p.fact("Next human action", "none; tasks with `quota: next` use another account meanwhile")
	for _, c := range a.Cooling {
		p.item("%s until %s: %s", task.Literally(c.Account), minute(c.Until), task.Literally(c.Why))
	}
	return p
}
