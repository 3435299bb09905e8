package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// outlasts is the change since which a task goes on by itself when a model, a network or a forge that was away is back.
const outlasts = "outlasts"

// An outage is waited for in silence for an hour or so, and for a day beside a person who is asked.
const (
	silentPauses = 6 // 1, 2, 4, 8, 16 and 32 minutes
	mostPauses   = silentPauses + 24
	longestPause = time.Hour
	calm         = 2 * longestPause // after that the next failure is another outage
)

// outage is how long a task has tried in vain.
type outage struct {
	pauses int
	last   time.Time // end of the newest pause
}

// unattended tells whether nobody may be there who could see a failure. Who has just started a task is, and the cause may be their input.
func (pk *parking) unattended() bool { return pk.hasSettings() || pk.def.sourced() }

// outlast waits for what may pass by itself, longer each time, and has a person asked when it does not pass soon.
func (pk *parking) outlast(ctx workflow.Context, why string) error {
	o := &pk.outage
	if workflow.Now(ctx).Sub(o.last) > calm {
		o.pauses = 0
	}
	o.pauses++
	until := workflow.Now(ctx).Add(min(time.Minute<<min(o.pauses-1, 10), longestPause))
	defer func() { o.last = workflow.Now(ctx) }()
	switch {
	case o.pauses <= silentPauses:
		return pk.waitUntil(ctx, signals.ReasonInfra, until, why)
	case o.pauses <= mostPauses:
		return pk.stop(ctx, signals.ReasonInfra, signals.ReasonInfra, until, why)
	default:
		return pk.suspend(ctx, signals.ReasonInfra, "%s", why)
	}
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
		return pk.unattended() // the input of an intake's task was written by nobody: the next task would fail alike
	}
}

// suspendFor parks the task for an error that a person can lift, or that may pass by itself.
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
	if kindOf(err) == fault.Infra && pk.unattended() && workflow.GetVersion(ctx, outlasts, workflow.DefaultVersion, 1) >= 1 {
		return pk.outlast(ctx, text)
	}
	return pk.suspend(ctx, why, "%s", text)
}
