package watch

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
)

// tell has the intake look at what somebody has written, once that is complete: its own next look may be minutes away.
func (w *watching) tell(ctx context.Context) error {
	w.drain()
	if !w.wrote.After(w.told) || w.clock.Now().Before(w.wrote.Add(w.quiet+pollLater)) {
		return nil
	}
	w.told = w.wrote
	return w.schedule.look(ctx)
}

// poll polls once. It returns the task that was started by that, or when to poll again; the zero time is for nothing to wait for.
func (w *watching) poll(ctx context.Context) (*job, time.Time, error) {
	w.drain()
	pass, err := w.poller.poll(ctx)
	now := w.clock.Now()
	switch {
	case err != nil:
		return nil, time.Time{}, err
	case pass == nil:
		return nil, w.poller.again(now), nil
	}
	w.report.leftAlone(pass.Skipped)
	if j, err := w.finder.started(ctx, pass); j != nil || err != nil {
		return j, time.Time{}, err
	}
	var due time.Time
	if pass.Again > 0 { // somebody writes: the worker lists nothing until then
		due = now.Add(pass.Again + againLater)
	}
	if quiet := w.wrote.Add(w.quiet); quiet.After(now) && quiet.Add(pollLater).After(due) {
		due = quiet.Add(pollLater)
	}
	if w.busy = pass.Others > 0; w.busy { // nobody tells when they have ended
		w.report.waiting("for the end of another task of the repository", nil)
		if again := now.Add(intakes.DefaultEvery(intake.Backlog)); due.IsZero() || again.Before(due) {
			due = again
		}
	}
	return nil, due, nil
}
