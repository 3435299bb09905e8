package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
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
	phase := pk.status.Phase
	pk.status.Reason, pk.status.Detail = why, excerpt.Clip(fmt.Sprintf(format, args...), 2000)
	pk.status.NeedsHuman, pk.status.NextAction = true, nextAction(why)
	pk.journal.say(ctx, "suspended", "%s: %s", why, firstLine(pk.status.Detail))
	pk.journal.enter(ctx, task.Suspended)
	pk.journal.show(ctx, signals.Notice{Subject: signals.SubjectStop})
	seen, shown := pk.inbox.resumed(), pk.checkRuns.open
	if shown {
		pk.checkRuns.ask(ctx, pk.checkRuns.at)
	}
	yielded := pk.admissions.yield(ctx, why)
	if err := workflow.Await(ctx, func() bool { return pk.inbox.resumed() > seen }); err != nil {
		return err
	}
	pk.goOn(ctx, phase)
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
	seen := pk.inbox.resumed()
	err := timer(ctx, until.Sub(workflow.Now(ctx)), "quota comes back", func() bool { return pk.inbox.resumed() > seen })
	if err != nil {
		return err
	}
	pk.goOn(ctx, phase)
	return nil
}

// goOn leaves the wait and shows that the task goes on with a phase.
func (pk *parking) goOn(ctx workflow.Context, phase task.Phase) {
	pk.status.Reason, pk.status.Detail, pk.status.NextAction = "", "", ""
	pk.status.NeedsHuman, pk.status.WaitingUntil = false, time.Time{}
	pk.journal.say(ctx, "resumed", "going on with %s", phase)
	pk.journal.enter(ctx, phase)
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

// liftable tells whether a person can remove the cause of an error that retries did not.
func (pk *parking) liftable(err error) bool {
	if isLost(err) { // no person can lift that
		return false
	}
	switch kindOf(err) {
	case fault.Unapproved: // a question, and no fault
		return false
	case fault.Denied, fault.Changed, fault.Leak, fault.Infra, fault.Internal:
		return true
	default: // before there is a workspace the input is wrong; after that, work exists that must not be thrown away
		return pk.hasSettings() || pk.def.sourced() // the input of an intake's task was written by nobody: the next task would fail alike
	}
}

// suspendFor parks the task for an error that a person can lift.
func (pk *parking) suspendFor(ctx workflow.Context, err error) error {
	why := signals.ReasonInfra
	switch kindOf(err) {
	case fault.Denied:
		why = signals.ReasonAccess
	case fault.Leak:
		why = signals.ReasonSecret
	case fault.Changed:
		why = signals.ReasonChanged
	}
	text := message(err)
	if hint := hintOf(err); hint != "" {
		text += " (" + hint + ")"
	}
	return pk.suspend(ctx, why, "%s", text)
}

// insist runs a step until it succeeds, parking the task for what a person can lift. Other errors end the task.
func (pk *parking) insist(ctx workflow.Context, run func() error) error {
	for {
		err := run()
		if err == nil || ctx.Err() != nil || !pk.liftable(err) {
			return err
		}
		if err := pk.suspendFor(ctx, err); err != nil {
			return err
		}
	}
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
		return "take the secret out of the branch's commits, then `resume`, or `abandon`"
	case signals.ReasonChanged:
		return "look at the branch, then `resume`, or `abandon`"
	case signals.ReasonBlocker, signals.ReasonRounds, signals.ReasonReview:
		return "look at the pull request, then `resume` (a note is told to the next session), or `abandon`"
	default:
		return "look at the log, then `resume` (a note is told to the next session), or `abandon`"
	}
}
