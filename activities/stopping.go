package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/fault"
)

// errStopping is the cause of a context that ends because this worker goes down.
var errStopping = fault.New(fault.Stopping, "the worker is stopping; the work goes on after its restart")

// interrupted gives the error of an activity whose context ended while the work was not done.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if cause := context.Cause(ctx); fault.KindOf(cause) == fault.Stopping {
		return cause
	}
	return ctx.Err()
}

// orInterrupted gives the error of an interruption in place of those that it has caused: it breaks whatever is under way,
// each in its own words.
func orInterrupted(ctx context.Context, err error) error {
	if cut := interrupted(ctx); err != nil && cut != nil {
		return cut
	}
	return err
}

// untilStopping ends the context when this worker is asked to stop, so that long work can be handed on in good order.
func untilStopping(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
			cancel(errStopping)
		case <-done:
		}
	}()
	return ctx, func() { close(done); cancel(nil) }
}
