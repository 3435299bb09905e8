package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// outlasts is the change since which a task goes on by itself when a model, a network or a forge that was away is back.
const outlasts = "outlasts"

// outlastsEarly is the change since which that also holds while the first workspace is made.
const outlastsEarly = "outlasts-early"

// asksOnceMore is the change since which a person who resumes a task while a step is tried again is asked anew when that fails, too: the
// button that they have pressed counts once.
const asksOnceMore = "asks-once-more"

// An outage is waited for in silence at first, and then beside a person who is asked.
const (
	silence       = 30 * time.Minute
	longestPause  = time.Hour
	longestOutage = 24 * time.Hour // after that only a person goes on
)

// outage is what a step knows of its failures so far.
type outage struct {
	began   time.Time // the first of them; zero before it
	pauses  int
	asked   bool // a person has been asked, and has not answered
	resumes int  // resume requests that had come when they were asked
}

// unattended tells whether nobody may be there who could see a failure. Who has just started a task is, and the cause may be their input.
func (pk *parking) unattended() bool { return pk.hasSettings() || pk.def.sourced() }

// outlast waits for what may pass by itself, longer each time. A person is asked when it does not pass soon, or when the failure says what
// a person can do.
func (pk *parking) outlast(ctx workflow.Context, o *outage, why string, byPerson bool) error {
	now := workflow.Now(ctx)
	if o.began.IsZero() {
		o.began = now
	}
	if o.asked && pk.inbox.resumed() > o.resumes && workflow.GetVersion(ctx, asksOnceMore, workflow.DefaultVersion, 1) >= 1 {
		pk.settled(ctx)
		o.asked = false
	}
	s := standstill{why: signals.ReasonInfra, detail: why, asked: o.asked}
	if now.Sub(o.began) < longestOutage {
		s.until = now.Add(min(time.Minute<<min(o.pauses, 10), longestPause))
	}
	o.pauses++
	if now.Sub(o.began) < silence && !byPerson && !o.asked {
		return pk.waitUntil(ctx, s.why, s.until, why)
	}
	o.resumes = pk.inbox.resumed()
	err := pk.stop(ctx, s)
	o.asked = pk.inbox.resumed() == o.resumes
	return err
}

// over ends an outage: the step has succeeded.
func (pk *parking) over(ctx workflow.Context, o *outage) {
	if o.asked {
		pk.settled(ctx)
	}
	*o = outage{}
}

// insist runs a step until it succeeds, parking the task for what a person can lift or time may. Other errors end the task.
func (pk *parking) insist(ctx workflow.Context, run func() error) error {
	var o outage
	for {
		err := run()
		if err == nil {
			pk.over(ctx, &o)
			return nil
		}
		if ctx.Err() != nil || !pk.liftable(err) {
			return err
		}
		if err := pk.suspendFor(ctx, &o, err); err != nil {
			return err
		}
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
func (pk *parking) suspendFor(ctx workflow.Context, o *outage, err error) error {
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
	hint := hintOf(err)
	if hint != "" {
		text += " (" + hint + ")"
	}
	if kindOf(err) == fault.Infra {
		change, byPerson := outlasts, hint != ""
		if !pk.unattended() { // who has just started the task is told at once: the cause may be what they have typed
			change, byPerson = outlastsEarly, true
		}
		if workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) >= 1 {
			return pk.outlast(ctx, o, text, byPerson)
		}
	}
	return pk.suspend(ctx, why, "%s", text)
}
