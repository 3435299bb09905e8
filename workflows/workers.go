package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// workers returns who may work in a session of a role, the preferred one first.
func (f facts) workers(role task.Role) []task.Worker {
	wrote := ""
	for _, s := range f.status.Sessions {
		if s.Role == task.Implementer && s.Agent != "" {
			wrote = s.Agent
		}
	}
	return f.settings.Workers(role, wrote)
}

// staffing decides which agent works in a session, and leaves those alone whose account is used up or that can't work here.
type staffing struct {
	facts
	journal  *journal
	parking  *parking
	briefing *briefing

	quotas int                       // used-up quotas in a row
	left   map[task.Worker]time.Time // agents that can't work here, and until when each is left alone
}

// choose decides which agent works in a session, and returns that session: another one when its agent has to leave it because its account
// is used up, or because it can't work here. The next one goes on with the plan, the log and the tree. It waits while no account has quota.
func (st *staffing) choose(ctx workflow.Context, s *session) (*session, error) {
	if st.settings.Quota != task.QuotaNext {
		st.entry(s).Agent = s.input.Agent
		return s, nil
	}
	for insist := false; ; {
		cooling, err := st.cooling(ctx)
		if err != nil {
			return s, err
		}
		now := workflow.Now(ctx)
		until := func(w task.Worker) time.Time { return st.away(w, cooling, now) }
		if s.input.Ask > 0 && (insist || until(s.worker()).IsZero()) {
			return s, nil
		}
		all := st.workers(s.input.Role)
		at := slices.IndexFunc(all, func(w task.Worker) bool { return until(w).IsZero() })
		if insist {
			at = 0
		}
		if at >= 0 {
			if s.input.Ask > 0 {
				s = st.briefing.again(ctx, s)
			}
			st.assign(ctx, s, all[at])
			return s, nil
		}
		first := slices.MinFunc(all, func(a, b task.Worker) int { return until(a).Compare(until(b)) })
		back := until(first).Add(jitter(st.status.RunID))
		if err := st.parking.waitUntil(ctx, signals.ReasonQuota, back, st.usedUp(all, cooling, now)); err != nil {
			return s, err
		}
		st.briefing.note(s)
		insist = workflow.Now(ctx).Before(back) // a person does not want to wait
	}
}

// away is until when an agent can't work: its account is used up, or the agent itself is left alone. It is zero for one that can.
func (st *staffing) away(w task.Worker, cooling signals.AccountsState, now time.Time) time.Time {
	until := cooling.Until(st.settings.Account(w.Agent), now)
	if left := st.left[w]; left.After(now) && left.After(until) {
		return left
	}
	return until
}

// worker is who works in the session.
func (s *session) worker() task.Worker {
	return task.Worker{Agent: s.input.Agent, Model: s.input.Model}
}

// assign gives a session to an agent.
func (st *staffing) assign(ctx workflow.Context, s *session, w task.Worker) {
	if w.Agent != s.input.Agent {
		st.journal.say(ctx, "agent", "session %d is for %s, model %s", s.input.N, w.Agent, w.Model)
	}
	s.input.Agent, s.input.Model = w.Agent, w.Model
	st.entry(s).Agent = w.Agent
}

// stands tells whether a session's agent stands in for the preferred one, whose account is used up.
func (st *staffing) stands(s *session) bool {
	return st.settings.Quota == task.QuotaNext && s.input.Agent != st.workers(s.input.Role)[0].Agent
}

// unfitAlone is the change since which an agent that stands in and can't work is left alone by its own task. Before, its account was left
// alone by all tasks, also after other errors that a person has to lift.
const unfitAlone = "unfit-alone"

// unfit tells whether an agent that stands in can't work here. A person who wants the work done need not come for that.
func (st *staffing) unfit(ctx workflow.Context, s *session, err error) bool {
	if kind := kindOf(err); !st.stands(s) || kind != fault.Denied && kind != fault.Input {
		return false
	}
	return workflow.GetVersion(ctx, unfitAlone, workflow.DefaultVersion, 1) < 1 || isUnfit(err)
}

// leave leaves an agent alone that can't work here.
func (st *staffing) leave(ctx workflow.Context, s *session, err error) error {
	if workflow.GetVersion(ctx, unfitAlone, workflow.DefaultVersion, 1) < 1 {
		return st.cool(ctx, s, accountUnfit, activities.SessionResult{Error: message(err)})
	}
	w, until := s.worker(), workflow.Now(ctx).Add(restOfUnknown)
	st.left[w] = until
	st.journal.say(ctx, "agent", "%s/%s %s until %s: %s", w.Agent, w.Model, accountUnfit, until.UTC().Format(time.RFC3339),
		firstLine(message(err)))
	return nil
}
