package workflows

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// restOfUnknown is how long an account is left alone whose API does not say when it has quota again, and an agent that can't work.
const restOfUnknown = time.Hour

// workers returns who may work in a session of a role, the preferred one first.
func (se *sessions) workers(role task.Role) []task.Worker {
	wrote := ""
	for _, s := range se.status.Sessions {
		if s.Role == task.Implementer && s.Agent != "" {
			wrote = s.Agent
		}
	}
	return se.settings.Workers(role, wrote)
}

// staff decides which agent works in a session, and returns that session: another one when its agent has to leave it because its account is
// used up, or because it can't work here. The next one goes on with the plan, the log and the tree. It waits while no account has quota.
func (se *sessions) staff(ctx workflow.Context, s *session) (*session, error) {
	if se.settings.Quota != task.QuotaNext {
		se.entry(s).Agent = s.input.Agent
		return s, nil
	}
	for insist := false; ; {
		cooling, err := se.cooling(ctx)
		if err != nil {
			return s, err
		}
		now := workflow.Now(ctx)
		until := func(w task.Worker) time.Time { return se.away(w, cooling, now) }
		if s.input.Ask > 0 && (insist || until(s.worker()).IsZero()) {
			return s, nil
		}
		all := se.workers(s.input.Role)
		at := slices.IndexFunc(all, func(w task.Worker) bool { return until(w).IsZero() })
		if insist {
			at = 0
		}
		if at >= 0 {
			if s.input.Ask > 0 {
				s = se.again(ctx, s)
			}
			se.assign(ctx, s, all[at])
			return s, nil
		}
		first := slices.MinFunc(all, func(a, b task.Worker) int { return until(a).Compare(until(b)) })
		back := until(first).Add(jitter(se.status.RunID))
		if err := se.parking.waitUntil(ctx, signals.ReasonQuota, back, se.usedUp(all, cooling, now)); err != nil {
			return s, err
		}
		se.note(s)
		insist = workflow.Now(ctx).Before(back) // a person does not want to wait
	}
}

// away is until when an agent can't work: its account is used up, or the agent itself is left alone. It is zero for one that can.
func (se *sessions) away(w task.Worker, cooling signals.AccountsState, now time.Time) time.Time {
	until := cooling.Until(se.settings.Account(w.Agent), now)
	if left := se.left[w]; left.After(now) && left.After(until) {
		return left
	}
	return until
}

// worker is who works in the session.
func (s *session) worker() task.Worker {
	return task.Worker{Agent: s.input.Agent, Model: s.input.Model}
}

// assign gives a session to an agent.
func (se *sessions) assign(ctx workflow.Context, s *session, w task.Worker) {
	if w.Agent != s.input.Agent {
		se.journal.say(ctx, "agent", "session %d is for %s, model %s", s.input.N, w.Agent, w.Model)
	}
	s.input.Agent, s.input.Model = w.Agent, w.Model
	se.entry(s).Agent = w.Agent
}

// stands tells whether a session's agent stands in for the preferred one, whose account is used up.
func (se *sessions) stands(s *session) bool {
	return se.settings.Quota == task.QuotaNext && s.input.Agent != se.workers(s.input.Role)[0].Agent
}

// unfitAlone is the change since which an agent that stands in and can't work is left alone by its own task. Before, its account was left
// alone by all tasks, also after other errors that a person has to lift.
const unfitAlone = "unfit-alone"

// unfit tells whether an agent that stands in can't work here. A person who wants the work done need not come for that.
func (se *sessions) unfit(ctx workflow.Context, s *session, err error) bool {
	if kind := kindOf(err); !se.stands(s) || kind != fault.Denied && kind != fault.Input {
		return false
	}
	return workflow.GetVersion(ctx, unfitAlone, workflow.DefaultVersion, 1) < 1 || isUnfit(err)
}

// leave leaves an agent alone that can't work here.
func (se *sessions) leave(ctx workflow.Context, s *session, err error) error {
	if workflow.GetVersion(ctx, unfitAlone, workflow.DefaultVersion, 1) < 1 {
		return se.cool(ctx, s, accountUnfit, activities.SessionResult{Error: message(err)})
	}
	w, until := s.worker(), workflow.Now(ctx).Add(restOfUnknown)
	se.left[w] = until
	se.journal.say(ctx, "agent", "%s/%s %s until %s: %s", w.Agent, w.Model, accountUnfit, until.UTC().Format(time.RFC3339),
		firstLine(message(err)))
	return nil
}

// cooling asks which accounts are used up.
func (se *sessions) cooling(ctx workflow.Context) (state signals.AccountsState, err error) {
	err = se.parking.insist(ctx, func() error {
		return workflow.ExecuteActivity(se.assignment.control(ctx, "which accounts are used up?"), control.CoolingAccounts).Get(ctx, &state)
	})
	return state, err
}

// States of an account that sessions leave alone for a while.
const (
	accountUsedUp  = "is used up"
	accountRefused = "is refused, and left alone"
	accountUnfit   = "can't work here, and is left alone"
)

// cool tells all tasks to leave a session's account alone, and why.
func (se *sessions) cool(ctx workflow.Context, s *session, state string, res activities.SessionResult) error {
	se.quotas++
	now := workflow.Now(ctx)
	until := res.Reset
	if until.IsZero() {
		until = now.Add(restOfUnknown)
	}
	if least := now.Add(se.leastPause()); until.Before(least) && (se.quotas > len(se.settings.Fallback)+1 || !until.After(now)) {
		until = least
	}
	in := signals.Cooling{Account: se.settings.Account(s.input.Agent), Until: until, Why: firstLine(res.Error)}
	se.journal.say(ctx, "quota", "%s %s until %s: %s", in.Account, state, until.UTC().Format(time.RFC3339), in.Why)
	return se.parking.insist(ctx, func() error {
		return workflow.ExecuteActivity(se.assignment.control(ctx, in.Account+" "+state), control.CoolAccount, in).Get(ctx, nil)
	})
}

// usedUp says which accounts are used up, and which agents can't work here.
func (se *sessions) usedUp(all []task.Worker, cooling signals.AccountsState, now time.Time) string {
	var parts []string
	for _, w := range all {
		who, state, until := se.settings.Account(w.Agent), accountUsedUp, se.away(w, cooling, now)
		if until.Equal(se.left[w]) {
			who, state = w.Agent+"/"+w.Model, accountUnfit
		}
		text := fmt.Sprintf("%s %s until %s", who, state, minute(until))
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return "no agent of this task can work now: " + strings.Join(parts, ", ")
}
