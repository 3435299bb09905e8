package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// permission parks the task until every command that waits for a person has an answer. No answer in time is a no.
func (se *sessions) permission(ctx workflow.Context, s *session, detail string) error {
	defer se.briefing.note(s)
	if len(se.status.Questions) > 0 {
		if err := se.awaitAnswers(ctx, detail); err != nil {
			return err
		}
	}
	s.input.Prompt.Messages = append(s.input.Prompt.Messages, se.questions.takeUndelivered()...)
	return nil
}

// asksWithoutPlace is the change since which a task that waits for an answer about a command lets others work meanwhile.
const asksWithoutPlace = "asks-without-place"

func (se *sessions) awaitAnswers(ctx workflow.Context, detail string) error {
	phase := se.status.Phase
	se.status.Reason, se.status.Detail = signals.ReasonCommand, excerpt.Clip(detail, 2000)
	se.status.NeedsHuman, se.status.NextAction = true, nextAction(signals.ReasonCommand)
	se.journal.say(ctx, "suspended", "%s: %s", signals.ReasonCommand, firstLine(detail))
	admissions := se.parking.admissions
	yielded := admissions.needed() && workflow.GetVersion(ctx, asksWithoutPlace, workflow.DefaultVersion, 1) >= 1 &&
		admissions.yield(ctx, signals.ReasonCommand)
	for len(se.status.Questions) > 0 {
		until := se.questions.firstExpiry()
		se.status.WaitingUntil = until
		se.journal.enter(ctx, task.Suspended)
		err := timer(ctx, until.Sub(workflow.Now(ctx)), "no answer is a no", func() bool { return len(se.status.Questions) == 0 })
		if err != nil {
			return err
		}
		se.questions.refuseExpired(ctx)
	}
	se.parking.goOn(ctx, phase, true)
	if !yielded {
		return nil
	}
	answered := workflow.Now(ctx)
	_, err := admissions.acquire(ctx, signals.PriorityResume)
	se.questions.extend(workflow.Now(ctx).Sub(answered))
	return err
}
