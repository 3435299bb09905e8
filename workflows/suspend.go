package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// suspend parks the task with a reason until a person resumes it. Nothing is held in memory for it meanwhile.
func (t *pipeline) suspend(ctx workflow.Context, why signals.Reason, format string, args ...any) error {
	phase := t.status.Phase
	t.status.Reason, t.status.Detail = why, clip(fmt.Sprintf(format, args...), 2000)
	t.status.NeedsHuman, t.status.NextAction = true, nextAction(why)
	t.say(ctx, "suspended", "%s: %s", why, firstLine(t.status.Detail))
	t.enter(ctx, task.Suspended)
	t.show(ctx, signals.Notice{Subject: signals.SubjectStop})
	seen := t.resume
	yielded := t.yield(ctx, why)
	if err := workflow.Await(ctx, func() bool { return t.resume > seen }); err != nil {
		return err
	}
	t.goOn(ctx, phase)
	if yielded {
		_, err := t.pass(ctx, signals.PriorityResume)
		return err
	}
	return nil
}

// waitUntil parks the task until a time that is known; a resume cuts the wait short.
func (t *pipeline) waitUntil(ctx workflow.Context, why signals.Reason, until time.Time, detail string) error {
	phase := t.status.Phase
	t.status.Reason, t.status.Detail, t.status.WaitingUntil = why, clip(detail, 2000), until
	t.status.NextAction = "nothing; `resume` goes on at once"
	t.say(ctx, "waiting", "%s: until %s", why, until.UTC().Format(time.RFC3339))
	t.enter(ctx, task.Waiting)
	t.show(ctx, signals.Notice{})
	seen := t.resume
	err := t.timer(ctx, until.Sub(workflow.Now(ctx)), "quota comes back", func() bool { return t.resume > seen })
	if err != nil {
		return err
	}
	t.goOn(ctx, phase)
	return nil
}

func (t *pipeline) goOn(ctx workflow.Context, phase task.Phase) {
	t.status.Reason, t.status.Detail, t.status.NextAction = "", "", ""
	t.status.NeedsHuman, t.status.WaitingUntil = false, time.Time{}
	t.say(ctx, "resumed", "going on with %s", phase)
	t.enter(ctx, phase)
	t.show(ctx, signals.Notice{Subject: signals.SubjectStop, Settled: true})
}

// timer waits for a time or a condition. It is a timer of its own, not AwaitWithTimeout, because that one leaves its
// timer pending when the condition wins.
func (t *pipeline) timer(ctx workflow.Context, d time.Duration, summary string, done func() bool) error {
	if d <= 0 || done() {
		return ctx.Err()
	}
	timerCtx, stop := workflow.WithCancel(ctx)
	defer stop()
	timer := workflow.NewTimerWithOptions(timerCtx, d, workflow.TimerOptions{Summary: summary})
	return workflow.Await(ctx, func() bool { return done() || timer.IsReady() })
}

// liftable tells whether a person can remove the cause of an error that retries did not.
func (t *pipeline) liftable(err error) bool {
	if isLost(err) { // no person can lift that
		return false
	}
	switch kindOf(err) {
	case fault.Unapproved: // a question, and no fault
		return false
	case fault.Denied, fault.Changed, fault.Leak, fault.Infra, fault.Internal:
		return true
	default: // before there is a workspace it is the input that is wrong; after that, work stands that must not be thrown away
		return t.hasSettings() || t.sourced() // and nobody has written the input of what comes by itself: the next one would fail alike
	}
}

// suspendFor parks the task for an error that a person can lift.
func (t *pipeline) suspendFor(ctx workflow.Context, err error) error {
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
	return t.suspend(ctx, why, "%s", text)
}

// insist runs a step until it succeeds, parking the task for what a person can lift. Other errors end the task.
func (t *pipeline) insist(ctx workflow.Context, run func() error) error {
	for {
		err := run()
		if err == nil || ctx.Err() != nil || !t.liftable(err) {
			return err
		}
		if err := t.suspendFor(ctx, err); err != nil {
			return err
		}
	}
}

func nextAction(why signals.Reason) string {
	switch why {
	case signals.ReasonBudget:
		return "`resume` with addCost, or `abandon`"
	case signals.ReasonTime:
		return "`resume` with addTime, or `abandon`"
	case signals.ReasonSpecIssue:
		return "settle the question, then `resume` with the answer as note, or `abandon`"
	case signals.ReasonQuota:
		return "`resume` when the account has quota again, or `abandon`"
	case signals.ReasonAccess:
		return "renew the key, login or permission, then `resume`, or `abandon`"
	case signals.ReasonCommand:
		return "`allow` or `deny` the command, or `abandon`"
	case signals.ReasonPush:
		return "look at the files, then `allow` or `deny` the push, or `abandon`"
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
