package workflows

import (
	"cmp"
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// parking waits while a person, or time, has to remove what stops the task.
type parking struct {
	facts
	journal    *journal
	inbox      *inbox
	admissions *admissions
	checkRuns  *checkRuns
}

// suspend parks the task with a reason until a person resumes it. No worker holds it in memory meanwhile.
func (pk *parking) suspend(ctx workflow.Context, why signals.Reason, format string, args ...any) error {
	return pk.stop(ctx, standstill{why: why, detail: fmt.Sprintf(format, args...)})
}

// ownFault is the change since which a task releases its admission when what fails around it fails because of the task itself.
const ownFault = "own-fault"

// suspendOwn parks a task whose own doing stops it, such as a check that takes all memory. That would not stop the next task, so this one
// releases its admission, and counts as one with errors.
func (pk *parking) suspendOwn(ctx workflow.Context, why signals.Reason, format string, args ...any) error {
	s := standstill{why: why, yields: signals.ReasonInfra, detail: fmt.Sprintf(format, args...)}
	if pk.admissions.needed() && workflow.GetVersion(ctx, ownFault, workflow.DefaultVersion, 1) >= 1 {
		s.yields = signals.ReasonErrors
	}
	return pk.stop(ctx, s)
}

// standstill is why a task is parked for a person, and until when.
type standstill struct {
	why    signals.Reason
	yields signals.Reason // decides whether the task's admission is released, where that is not why
	detail string
	until  time.Time // goes on by itself then; zero for never
	asked  bool      // a person has been asked about it before, and has not answered
}

// stop parks the task until a person resumes it, or until a time if one is given. Then what asks the person stays as it is.
func (pk *parking) stop(ctx workflow.Context, s standstill) error {
	phase := pk.status.Phase
	pk.status.Reason, pk.status.Detail, pk.status.WaitingUntil = s.why, excerpt.Clip(s.detail, 2000), s.until
	pk.status.NeedsHuman, pk.status.NextAction = true, nextAction(s.why)
	if !s.until.IsZero() {
		pk.status.NextAction = "remove the cause if it does not pass by itself: it is tried again, and `resume` tries at once; or `abandon`"
	}
	pk.journal.say(ctx, "suspended", "%s: %s", s.why, firstLine(pk.status.Detail))
	pk.journal.enter(ctx, task.Suspended)
	if s.asked {
		pk.journal.show(ctx, signals.Notice{})
	} else {
		pk.journal.show(ctx, signals.Notice{Subject: signals.SubjectStop})
	}
	seen, shown := pk.inbox.resumed(), pk.checkRuns.open
	if shown {
		pk.checkRuns.ask(ctx, pk.checkRuns.at)
	}
	yielded := pk.admissions.yield(ctx, cmp.Or(s.yields, s.why))
	if err := pk.resumed(ctx, seen, s.until, "try again"); err != nil {
		return err
	}
	pk.goOn(ctx, phase, s.until.IsZero() || pk.inbox.resumed() > seen)
	if shown {
		pk.checkRuns.begin(ctx, pk.checkRuns.at, "Goes on after a person was asked")
	}
	if yielded {
		_, err := pk.admissions.acquire(ctx, signals.PriorityResume)
		return err
	}
	return nil
}

// waitUntil parks the task until a time that is known; a resume cuts the wait short.
func (pk *parking) waitUntil(ctx workflow.Context, why signals.Reason, until time.Time, detail string) error {
	phase := pk.status.Phase
	pk.status.Reason, pk.status.Detail, pk.status.WaitingUntil = why, excerpt.Clip(detail, 2000), until
	pk.status.NextAction = "nothing; `resume` continues at once"
	pk.journal.say(ctx, "waiting", "%s: until %s", why, until.UTC().Format(time.RFC3339))
	pk.journal.enter(ctx, task.Waiting)
	pk.journal.show(ctx, signals.Notice{})
	summary := "try again"
	if why == signals.ReasonQuota {
		summary = "quota comes back"
	}
	if err := pk.resumed(ctx, pk.inbox.resumed(), until, summary); err != nil {
		return err
	}
	pk.goOn(ctx, phase, true)
	return nil
}

// resumed waits until a person has resumed the task once more than was seen, or until a time if one is given.
func (pk *parking) resumed(ctx workflow.Context, seen int, until time.Time, summary string) error {
	resumed := func() bool { return pk.inbox.resumed() > seen }
	if until.IsZero() {
		return workflow.Await(ctx, resumed)
	}
	return timer(ctx, until.Sub(workflow.Now(ctx)), summary, resumed)
}

// goOn leaves the wait and shows that the task goes on with a phase. settled tells that nobody is asked any more.
func (pk *parking) goOn(ctx workflow.Context, phase task.Phase, settled bool) {
	pk.status.Reason, pk.status.Detail, pk.status.NextAction = "", "", ""
	pk.status.NeedsHuman, pk.status.WaitingUntil = false, time.Time{}
	if len(pk.status.Questions) > 0 && workflow.GetVersion(ctx, asksAnew, workflow.DefaultVersion, 1) >= 1 { // it was not parked for them
		pk.status.NeedsHuman, pk.status.NextAction = true, nextAction(signals.ReasonCommand)
	}
	pk.journal.say(ctx, "resumed", "going on with %s", phase)
	pk.journal.enter(ctx, phase)
	if settled {
		pk.settled(ctx)
	} else {
		pk.journal.show(ctx, signals.Notice{})
	}
}

// settled takes the question to a person back.
func (pk *parking) settled(ctx workflow.Context) {
	pk.journal.show(ctx, signals.Notice{Subject: signals.SubjectStop, Settled: true})
}

// waitEnds is the change since which a wait ends with an error when its task is cancelled or abandoned. What went on as if the time were up
// could wait again at once, for ever.
const waitEnds = "wait-ends"

// timer waits for a time or a condition. It is a timer of its own, not AwaitWithTimeout, because that one leaves its
// timer pending when the condition wins.
func timer(ctx workflow.Context, d time.Duration, summary string, done func() bool) error {
	if d <= 0 || done() {
		return ctx.Err()
	}
	timerCtx, stop := workflow.WithCancel(ctx)
	defer stop()
	timer := workflow.NewTimerWithOptions(timerCtx, d, workflow.TimerOptions{Summary: summary})
	err := workflow.Await(ctx, func() bool { return done() || timer.IsReady() })
	if err == nil && ctx.Err() != nil && !done() && workflow.GetVersion(ctx, waitEnds, workflow.DefaultVersion, 1) >= 1 {
		return ctx.Err() // a timer that is cancelled is ready, too
	}
	return err
}

// haveTime parks the task while its running time is used up.
func (pk *parking) haveTime(ctx workflow.Context) error {
	for pk.status.Worked >= pk.status.BudgetTime {
		if err := pk.suspend(ctx, signals.ReasonTime, "%s of %s of running time are used", spell(pk.status.Worked),
			spell(pk.status.BudgetTime)); err != nil {
			return err
		}
	}
	return nil
}

func nextAction(why signals.Reason) string {
	switch why {
	case signals.ReasonBudget:
		return "`resume` with addCost, or `abandon`"
	case signals.ReasonTime:
		return "`resume` with addTime, or `abandon`"
	case signals.ReasonSpecIssue:
		return "settle the question, then `resume` with the answer as note, or `abandon`"
	case signals.ReasonQuestion:
		return "`resume` with the answer as note, or `abandon`"
	case signals.ReasonQuota:
		return "`resume` when the account has quota again, or `abandon`"
	case signals.ReasonAccess:
		return "renew the key, login or permission, then `resume`, or `abandon`"
	case signals.ReasonCommand:
		return "`allow` or `deny` the command, or `abandon`"
	case signals.ReasonPush:
		return "look at the files, then `allow` or `deny` the push, or `abandon`"
	case signals.ReasonSteps:
		return "look at the log, then `resume`, which gives the session as many steps again, or `abandon`"
	case signals.ReasonSecret:
		return "take the secret out where it lies, then `resume`, or `abandon`"
	case signals.ReasonUnfit:
		return "remove it from the workspace, or have .gitignore leave it out, then `resume`, or `abandon`"
	case signals.ReasonChanged:
		return "look at the branch, then `resume`, or `abandon`"
	case signals.ReasonReview:
		return "look at what the review asks for, then `resume` (a note is told to the next session), or `abandon`"
	case signals.ReasonBlocker, signals.ReasonRounds:
		return "look at the pull request, then `resume` (a note is told to the next session), or `abandon`"
	default:
		return "look at the log, then `resume` (a note is told to the next session), or `abandon`"
	}
}
