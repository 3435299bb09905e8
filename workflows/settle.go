package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostUnasked is how often in a row a session may wait for the answer to a question that is not open: it was answered meanwhile.
const mostUnasked = 5

// settle judges how a session ended. It returns nil when the session has reported, and the session to run next otherwise.
func (se *sessions) settle(ctx workflow.Context, s *session, res activities.SessionResult) (*session, error) {
	switch res.Kind {
	case agent.Completed:
		if s.reported(res) {
			se.errors, se.loops, se.staffing.quotas = 0, 0, 0
			return se.notes(ctx, s, res)
		}
		return se.reask(ctx, s)
	case agent.Budget:
		// afford says why and waits; a refusal below the ceiling, where what is left pays for no useful answer, must not loop.
		if se.budget.left(s) > 0 {
			var err error
			if !mayUseMore(ctx, se.status.BudgetUSD > s.asked.cost) {
				err = se.tooLittle(ctx, s)
			}
			se.briefing.note(s)
			return s, err
		}
		return s, nil
	case agent.Turns:
		switch {
		case se.status.Worked >= se.status.BudgetTime:
			return s, nil
		case mayUseMore(ctx, se.status.BudgetTime > s.asked.running):
			se.briefing.note(s)
			return s, nil
		}
	case agent.Quota:
		if se.settings.Quota == task.QuotaNext {
			err := se.staffing.cool(ctx, s, accountUsedUp, res)
			se.briefing.note(s)
			return s, err
		}
		return s, se.staffing.quota(ctx, s, res)
	case agent.NeedsApproval:
		if se.unasked++; len(se.status.Questions) > 0 {
			se.unasked = 0
		}
		if se.unasked > mostUnasked {
			se.unasked = 0
			return se.failed(ctx, s, "it waits for an answer again and again, and no question is open: "+res.Error)
		}
		return s, se.permission(ctx, s, res.Error)
	case agent.Looped:
		if se.loops++; se.loops > 1 {
			se.loops = 0
			if err := se.parking.suspend(ctx, signals.ReasonLoop, "two sessions in a row went round in circles, the last one: %s",
				res.Error); err != nil {
				return nil, err
			}
		}
	case agent.Steps:
		err := se.parking.suspend(ctx, signals.ReasonSteps, "the session has made %s; resume gives it as many again", res.Error)
		se.briefing.note(s)
		return s, err
	case agent.NeedsAnswer:
		err := se.parking.suspend(ctx, signals.ReasonQuestion, "%s", res.Error)
		se.briefing.note(s)
		return s, err
	case agent.AuthFailed:
		if se.staffing.stands(s) {
			return s, se.staffing.cool(ctx, s, accountRefused, res)
		}
		err := se.parking.suspend(ctx, signals.ReasonAccess, "the model's key or login is refused: %s", res.Error)
		se.briefing.note(s)
		return s, err
	}
	return se.failed(ctx, s, fmt.Sprintf("%s: %s", res.Kind, res.Error))
}

// addedMeanwhile is the change since which a session goes on with what a person has added while it ran.
const addedMeanwhile = "added-meanwhile"

// mayUseMore tells whether the task may use more than when the session was asked: the session has kept to what it was given, and goes on.
func mayUseMore(ctx workflow.Context, more bool) bool {
	return more && workflow.GetVersion(ctx, addedMeanwhile, workflow.DefaultVersion, 1) >= 1
}

// tooLittle parks the task because its next model call would pass the budget, or what planning may cost.
func (se *sessions) tooLittle(ctx workflow.Context, s *session) error {
	used, most := se.status.Usage.CostUSD, se.status.BudgetUSD
	if s.cap > 0 && s.cap-se.entry(s).Usage.CostUSD < most-used {
		return se.planOn(ctx, s, "the next model call would pass what planning may cost: %s of %s are used")
	}
	return se.parking.suspend(ctx, signals.ReasonBudget, "the next model call would pass the budget: %s of %s are used", usd(used), usd(most))
}

// reported tells whether the session has reported what its role must.
func (s *session) reported(res activities.SessionResult) bool {
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
func (se *sessions) reask(ctx workflow.Context, s *session) (*session, error) {
	if s.reasked {
		return se.failed(ctx, s, "it ended twice without a report")
	}
	se.journal.say(ctx, "note", "session %d ended without a report; asking for it", s.input.N)
	s.reasked, s.input.Nudge = true, true
	return s, nil
}

// failed counts an error in a row. Below the limit a fresh session follows; at the limit a person is asked.
func (se *sessions) failed(ctx workflow.Context, s *session, why string) (*session, error) {
	se.errors++
	se.entry(s).Outcome = string(agent.Errored)
	se.journal.say(ctx, "error", "session %d (%s) failed: %s", s.input.N, s.input.Role, firstLine(why))
	se.journal.remember(ctx, "error", fmt.Sprintf("the last %s session failed: %s", s.input.Role, why))
	if se.errors > se.settings.Errors {
		n := se.errors
		se.errors = 0
		if err := se.parking.suspend(ctx, signals.ReasonErrors, "%d errors in a row, the last one: %s", n, why); err != nil {
			return nil, err
		}
	}
	return se.briefing.again(ctx, s), nil
}

// notes stores the session's notes and findings. When the session found the specification unclear, the task is parked, and then asks again.
func (se *sessions) notes(ctx workflow.Context, s *session, res activities.SessionResult) (*session, error) {
	for _, n := range res.Report.Notes {
		if !has(se.status.Notes, n, keptBytes) {
			se.journal.say(ctx, "note", "%s", n)
			se.journal.keep(ctx, &se.status.Notes, task.Note, n)
		}
	}
	for _, f := range res.Report.Findings {
		if !has(se.status.Findings, f, foundBytes) {
			se.journal.say(ctx, "finding", "%s", f)
			se.journal.found(ctx, f)
		}
	}
	if res.Report.Kind != task.ReportSpecIssue {
		return nil, nil
	}
	se.journal.keep(ctx, &se.status.SpecIssues, task.SpecIssue, res.Report.Text)
	if err := se.parking.suspend(ctx, signals.ReasonSpecIssue, "%s", res.Report.Text); err != nil {
		return nil, err
	}
	return se.briefing.again(ctx, s), nil
}
