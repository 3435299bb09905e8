package workflows

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// settle judges how a session ended. It gives nil when the session has reported, and the session to run next otherwise.
func (t *pipeline) settle(ctx workflow.Context, s *session, res activities.SessionResult) (*session, error) {
	switch res.Kind {
	case agent.Completed:
		if t.reported(s, res) {
			t.errors, t.quotas, t.loops = 0, 0, 0
			return t.questions(ctx, s, res)
		}
		return t.reask(ctx, s)
	case agent.Budget:
		// afford tells why and waits; a refusal below the ceiling (a price that was guessed too high) must not spin.
		if t.left(s) > 0 {
			err := t.suspend(ctx, signals.ReasonBudget, "the next model call would pass the budget: %s of %s are used",
				usd(t.status.Usage.CostUSD), usd(t.status.BudgetUSD))
			t.note(s)
			return s, err
		}
		return s, nil
	case agent.Turns:
		if t.status.Worked >= t.status.BudgetTime {
			return s, nil
		}
	case agent.Quota:
		return s, t.quota(ctx, s, res)
	case agent.NeedsApproval:
		return s, t.permission(ctx, s, res.Error)
	case agent.Looped:
		if t.loops++; t.loops > 1 {
			t.loops = 0
			if err := t.suspend(ctx, signals.ReasonLoop, "two sessions in a row went round in circles, the last one: %s", res.Error); err != nil {
				return nil, err
			}
		}
	case agent.AuthFailed:
		err := t.suspend(ctx, signals.ReasonAccess, "the model's key or login is refused: %s", res.Error)
		t.note(s)
		return s, err
	}
	return t.failed(ctx, s, fmt.Sprintf("%s: %s", res.Kind, res.Error))
}

// reported tells whether the session said what its role has to say.
func (t *pipeline) reported(s *session, res activities.SessionResult) bool {
	switch {
	case res.Report.Kind == task.ReportSpecIssue:
		return true
	case s.input.Role == task.Planner:
		return res.Plan != nil
	case s.input.Role == task.Reviewer:
		return res.Review != nil
	default:
		return res.Report.Kind != task.ReportNone
	}
}

// reask asks a session that ended without a report once more for it; after that it counts as an error.
func (t *pipeline) reask(ctx workflow.Context, s *session) (*session, error) {
	if s.input.Nudge {
		return t.failed(ctx, s, "it ended twice without a report")
	}
	t.say(ctx, "note", "session %d ended without a report; asking for it", s.input.N)
	s.input.Nudge = true
	return s, nil
}

// failed counts an error in a row. Below the limit a fresh session follows; at the limit a person is asked.
func (t *pipeline) failed(ctx workflow.Context, s *session, why string) (*session, error) {
	t.errors++
	t.entry(s).Outcome = string(agent.Errored)
	t.say(ctx, "error", "session %d (%s) failed: %s", s.input.N, s.input.Role, firstLine(why))
	t.remember(ctx, "error", fmt.Sprintf("the last %s session failed: %s", s.input.Role, why))
	if t.errors > t.settings.Errors {
		n := t.errors
		t.errors = 0
		if err := t.suspend(ctx, signals.ReasonErrors, "%d errors in a row, the last one: %s", n, why); err != nil {
			return nil, err
		}
	}
	return t.again(ctx, s), nil
}

// questions parks the task when the session found the specification unclear, and asks again once it is settled.
func (t *pipeline) questions(ctx workflow.Context, s *session, res activities.SessionResult) (*session, error) {
	for _, n := range res.Report.Notes {
		t.say(ctx, "note", "%s", n)
		t.remember(ctx, string(task.Note), n)
	}
	if res.Report.Kind != task.ReportSpecIssue {
		return nil, nil
	}
	t.remember(ctx, string(task.SpecIssue), res.Report.Text)
	if err := t.suspend(ctx, signals.ReasonSpecIssue, "%s", res.Report.Text); err != nil {
		return nil, err
	}
	return t.again(ctx, s), nil
}

// again is a fresh session for the same thing. What people said to the last one holds for it too.
func (t *pipeline) again(ctx workflow.Context, s *session) *session {
	next := t.newSession(ctx, s.input.Role, s.input.Prompt.Deliverable)
	next.input.Prompt.Tells = append(slices.Clone(s.input.Prompt.Tells), next.input.Prompt.Tells...)
	return next
}

// quota waits until the quota comes back: by a durable timer when the time is known, for a person when it is not.
func (t *pipeline) quota(ctx workflow.Context, s *session, res activities.SessionResult) error {
	defer t.note(s)
	why := "the account's quota is used up: " + firstLine(res.Error)
	switch {
	case t.settings.Quota == "end":
		return end(task.Failed, "%s", why)
	case res.Reset.IsZero():
		return t.suspend(ctx, signals.ReasonQuota, "%s", why)
	}
	// A reset that has passed, or one that did not help, must not be asked for in a circle.
	until := res.Reset.Add(jitter(t.status.RunID))
	t.quotas++
	least := workflow.Now(ctx).Add(min(time.Minute<<min(t.quotas-1, 6), time.Hour))
	if passed := !until.After(workflow.Now(ctx)); passed || t.quotas > 1 && until.Before(least) {
		until = least
	}
	return t.waitUntil(ctx, signals.ReasonQuota, until, why)
}

// jitter spreads the tasks that wait for one account over two seconds, by their identity and not by chance.
func jitter(run string) time.Duration {
	sum := sha256.Sum256([]byte(run))
	return 200*time.Millisecond + time.Duration(sum[0])*7*time.Millisecond
}
