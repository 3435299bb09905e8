package tasks

import (
	"context"
	"errors"
	"time"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// follower shows a task while it runs.
type follower struct {
	id      string
	printer *term.Printer
	clock   environ.Clock
	screen  *term.Screen
	plan    *planPrompt
	options FollowOptions

	now   Snapshot
	phase task.Phase
	since time.Time // when the phase was first seen
	line  int       // number of the last log line shown
	said  string    // the last stop that was announced

	activity string // of the session, as it was last shown
	wait     stepWait
	needed   bool // whether the task needed a person when it was last seen
	ended    bool // whether it had ended then
}

// FollowOptions say how a task is followed. The zero value is for one task alone.
type FollowOptions struct {
	wait  bool           // stay when the task is suspended and no terminal is there
	Ends  bool           // the task ends with this command, which says itself what happens to it
	Onto  func(Snapshot) // is called with every snapshot that has a status; may be nil
	Among *Among         // set when tasks are followed one after the other; nil for one alone
	Line  int            // number of the last log line that was shown already

	untilPlan bool // end when the plan waits for a decision
	verbose   bool // show lines of all kinds, and each activity of sessions

	Notify func(text string) // tells a person who looks elsewhere; may be nil
}

// Among is what differs when a task is one of several, and the caller reports its stops and its end.
type Among struct {
	Status    func(*signals.Status)       // is called with every status, before anything of it is shown
	Suspended func(*signals.Status) error // is called again and again while the task is suspended; an error ends the following
	Trouble   func(Trouble)               // is called with every change
}

// Follower shows a task on a screen, and asks for decisions on its plan where a person can be asked.
func (v *Viewer) Follower(id string, c Messenger, screen *term.Screen, o FollowOptions) *follower {
	plan := &planPrompt{id: id, screen: screen, now: v.clock.Now, refuse: v.tasks.RefuseToken, sent: make(chan sent, 1)}
	if v.printer.Interactive() {
		plan.keys = v.terminal.Keyboard()
	}
	plan.send = func(ctx context.Context, name string, m Payload) (Delivery, error) {
		return v.tasks.Send(ctx, c, id, name, m)
	}
	return &follower{id: id, printer: v.printer, clock: v.clock, screen: screen, plan: plan, options: o, line: o.Line, since: v.clock.Now()}
}

// errPlanReady ends the following of a task when its plan waits, where that is all that was asked for.
var errPlanReady = errors.New("the plan waits for a decision")

// Follow shows the task until it has ended, and returns its last status. Ctrl-C leaves the task running.
func (f *follower) Follow(ctx context.Context, p *Poller) (*signals.Status, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer f.release()
	snapshots := p.Watch(ctx)
	for {
		f.screen.Set(f.liveLine())
		select {
		case s, ok := <-snapshots:
			if !ok {
				return f.now.Status, f.interrupted()
			}
			if err := f.take(s); err != nil {
				return s.Status, err
			}
			if s.Closed {
				return s.Status, s.Err
			}
		case key, ok := <-f.plan.pressed():
			if !ok {
				f.plan.close()
			} else if f.plan.key(ctx, key) {
				return f.now.Status, f.interrupted()
			}
		case s := <-f.plan.sent:
			f.plan.answered(s)
		case <-f.clock.After(time.Second):
		case <-ctx.Done():
			return f.now.Status, f.interrupted()
		}
	}
}

// LastLine is the number of the last log line shown.
func (f *follower) LastLine() int { return f.line }

// release gives the terminal back.
func (f *follower) release() {
	f.plan.release()
	f.screen.Clear()
}

// interrupted tells how to go on with the task, which is not stopped by this.
func (f *follower) interrupted() error {
	f.release()
	if f.options.Ends || f.options.Among != nil || !f.printer.IsText() {
		return term.ErrInterrupted
	}
	f.printer.Say("interrupted; the task continues:")
	f.printer.Say("  longshift status -f %s   # follow it again", f.id)
	f.printer.Say("  longshift logs -f %s     # read along", f.id)
	f.printer.Say("  longshift cancel %s      # end it", f.id)
	return term.Exit{Code: fault.ExitInterrupt}
}

// take shows what is new in a snapshot.
func (f *follower) take(s Snapshot) error {
	before := f.now.trouble
	f.now = s
	f.announce(before)
	if s.Status == nil {
		return nil
	}
	if s.Status.Phase != f.phase {
		f.phase, f.since = s.Status.Phase, f.clock.Now()
	}
	if f.options.Among != nil {
		f.options.Among.Status(s.Status)
	}
	if err := f.log(s.Status); err != nil {
		return err
	}
	f.work(s.Beat)
	if f.wait.lasts(s.waits, f.clock.Now()) && !f.screen.IsLive() {
		f.event("waits", s.waits)
	}
	f.notify(s.Status)
	if f.options.untilPlan && f.plan.waits(s.Status) {
		f.plan.keys = nil // nobody is asked here
		f.plan.show(s.Status, false)
		return errPlanReady
	}
	f.plan.show(s.Status, f.options.Ends)
	if f.options.Onto != nil {
		f.options.Onto(s)
	}
	return f.stops(s.Status)
}

// announce says, once each, that the server or worker stops answering and that it answers again.
func (f *follower) announce(before Trouble) {
	if f.now.Closed || f.now.trouble == before || f.options.Ends {
		return
	}
	if f.options.Among != nil {
		f.options.Among.Trouble(f.now.trouble)
		return
	}
	switch {
	case f.now.trouble == NoWorker:
		f.event("worker", "no worker is answering; the task is safe and continues when one is back; "+startWorker)
	case f.now.trouble == NoServer:
		f.event("server", serverAway)
	case before == NoWorker:
		f.event("worker", "a worker answers again")
	default:
		f.event("server", "the Temporal server answers again")
	}
}

// stops says what the task waits for. Without a terminal a suspended task ends the command.
func (f *follower) stops(status *signals.Status) error {
	if f.options.Among != nil && status.Phase == task.Suspended {
		return f.options.Among.Suspended(status)
	}
	stop := string(status.Phase) + "/" + string(status.Reason) + "/" + status.WaitingUntil.String()
	if stop == f.said {
		return nil
	}
	f.said = stop
	switch status.Phase {
	case task.Suspended:
		f.screen.Line(SuspendedText(status))
		if !f.plan.asks() && !f.options.wait {
			f.screen.Clear()
			return term.Exit{Code: fault.ExitSuspended}
		}
	case task.Waiting:
		if !f.screen.IsLive() {
			f.screen.Line(waitingText(status, f.clock.Now()))
		}
	}
	return nil
}
