package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/fault"
)

// errStopping is the cause of a context that ends because this worker stops.
var errStopping = fault.New(fault.Stopping, "the worker is stopping; the work continues after its restart")

// interrupted returns the error of an activity whose context ended before its work was done, or nil.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if cause := context.Cause(ctx); fault.KindOf(cause) == fault.Stopping {
		return cause
	}
	return ctx.Err()
}

// orInterrupted replaces an error by the interruption that has caused it: an interruption makes whatever runs fail, with errors of any
// kind.
func orInterrupted(ctx context.Context, err error) error {
	if cut := interrupted(ctx); err != nil && cut != nil {
		return cut
	}
	return err
}

// untilStopping returns a context that ends when this worker is asked to stop, so that long work can end in good order.
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
