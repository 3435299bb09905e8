package workflows

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// restOfUnknown is how long an account is left alone whose API does not say when it has quota again, and an agent that can't work.
const restOfUnknown = time.Hour

// States of an account that sessions leave alone for a while.
const (
	accountUsedUp  = "is used up"
	accountRefused = "is refused, and left alone"
	accountUnfit   = "can't work here, and is left alone"
)

// keptRound is the change since which a used-up quota no longer ends a round.
const keptRound = "kept-round"

// keepsRound tells whether the session is one of a round, whose end would throw away what earlier sessions of it have committed.
func (st *staffing) keepsRound(ctx workflow.Context) bool {
	return st.def.continues && workflow.GetVersion(ctx, keptRound, workflow.DefaultVersion, 1) >= 1
}

// quota waits until the quota comes back: by a durable timer when the time is known, for a person when it is not.
func (st *staffing) quota(ctx workflow.Context, s *session, res activities.SessionResult) error {
	defer st.briefing.note(s)
	why := "the account's quota is used up: " + firstLine(res.Error)
	ends := st.settings.Quota == "end"
	switch {
	case ends && !st.keepsRound(ctx):
		return end(task.Failed, "%s", why)
	case ends, res.Reset.IsZero():
		return st.parking.suspend(ctx, signals.ReasonQuota, "%s", why)
	}
	until := res.Reset.Add(jitter(st.status.RunID))
	st.quotas++
	least := workflow.Now(ctx).Add(st.leastPause())
	if passed := !until.After(workflow.Now(ctx)); passed || st.quotas > 1 && until.Before(least) {
		until = least
	}
	return st.parking.waitUntil(ctx, signals.ReasonQuota, believed(ctx, until), why)
}

// leastPause grows with each used-up quota in a row: a reset that has passed, or one that did not help, must not cause a loop.
func (st *staffing) leastPause() time.Duration {
	return min(time.Minute<<min(st.quotas-1, 6), time.Hour)
}

// jitter spreads tasks that wait for one account over two seconds. It is a hash of their run: workflows use no random numbers.
func jitter(run string) time.Duration {
	sum := sha256.Sum256([]byte(run))
	return 200*time.Millisecond + time.Duration(sum[0])*7*time.Millisecond
}

// cooling asks which accounts are used up.
func (st *staffing) cooling(ctx workflow.Context) (state signals.AccountsState, err error) {
	err = st.parking.insist(ctx, func() error {
		return workflow.ExecuteActivity(st.assignment.control(ctx, "which accounts are used up?"), activities.CoolingAccounts).Get(ctx, &state)
	})
	return state, err
}

// cool tells all tasks to leave a session's account alone, and why.
func (st *staffing) cool(ctx workflow.Context, s *session, state string, res activities.SessionResult) error {
	st.quotas++
	now := workflow.Now(ctx)
	until := res.Reset
	if until.IsZero() {
		until = now.Add(restOfUnknown)
	}
	if least := now.Add(st.leastPause()); until.Before(least) && (st.quotas > len(st.settings.Fallback)+1 || !until.After(now)) {
		until = least
	}
	in := signals.Cooling{Account: st.settings.Account(s.input.Agent), Until: until, Why: firstLine(res.Error)}
	st.journal.say(ctx, "quota", "%s %s until %s: %s", in.Account, state, until.UTC().Format(time.RFC3339), in.Why)
	return st.parking.insist(ctx, func() error {
		return workflow.ExecuteActivity(st.assignment.control(ctx, in.Account+" "+state), activities.CoolAccount, in).Get(ctx, nil)
	})
}

// usedUp says which accounts are used up, and which agents can't work here.
func (st *staffing) usedUp(all []task.Worker, cooling signals.AccountsState, now time.Time) string {
	var parts []string
	for _, w := range all {
		who, state, until := st.settings.Account(w.Agent), accountUsedUp, st.away(w, cooling, now)
		if until.Equal(st.left[w]) {
			who, state = w.Agent+"/"+w.Model, accountUnfit
		}
		text := fmt.Sprintf("%s %s until %s", who, state, minute(until))
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return "no agent of this task can work now: " + strings.Join(parts, ", ")
}
