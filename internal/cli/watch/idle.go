package watch

import (
	"context"
	"slices"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// idle waits until it is time to poll again: because somebody has written to a file and stopped, or because a task goes on. due is when to
// poll in any case; the zero time is never.
func (w *watching) idle(ctx context.Context, due time.Time) error {
	var poll <-chan time.Time
	if w.schedule.polls() || w.finder.isBusy() { // nothing reports what happens there
		poll = w.clock.After(seldom)
	}
	for {
		var timer, tick <-chan time.Time
		line := "⏳ Waiting for files in " + w.backlog.path
		if due.IsZero() {
			w.waiting()
		} else {
			left := max(due.Sub(w.clock.Now()), 0)
			timer = w.clock.After(left)
			if line = "⏳ Somebody is writing in " + w.backlog.path + "; looking in " + term.Duration(left); w.poller.failing() || w.busy {
				line = "⏳ Looking again in " + term.Duration(left)
			}
			if w.screen.IsLive() {
				tick = w.clock.After(time.Second)
			}
		}
		w.screen.Set(line)
		select {
		case c, ok := <-w.changes:
			if !ok {
				return w.blind()
			}
			if c.Wrote {
				w.wrote = c.At
				due = c.At.Add(w.quiet + pollLater)
			}
		case n := <-w.parking.changes():
			if w.onNews(n) {
				return nil
			}
		case <-poll:
			return nil
		case <-timer:
			return nil
		case <-tick:
		case <-ctx.Done():
			return term.ErrInterrupted
		}
	}
}

// waiting reports that there is nothing to do, and which files stay as they are.
func (w *watching) waiting() {
	if w.schedule.polls() { // which files the intake leaves alone is not known here
		w.report.waiting(w.schedule.text(), nil)
		return
	}
	w.report.waiting("for files in "+w.backlog.path, slices.DeleteFunc(w.backlog.files(), w.parking.hasFile))
}

// drain takes the changes of files so far: the poll that follows sees them.
func (w *watching) drain() {
	select {
	case c, ok := <-w.changes:
		if ok && c.Wrote {
			w.wrote = c.At
		}
	default:
	}
}

func (w *watching) blind() error {
	return fault.New(fault.NotFound, "%s can't be watched any more: it is gone, or may not be read", w.backlog.repo.Path).
		WithHint("start watch again when it is back")
}
