package activities

import (
	"context"
	"time"

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
func untilStopping(ctx context.Context) (context.Context, func()) { return untilStoppingIn(ctx, 0) }

// untilStoppingIn returns a context that ends some time after this worker was asked to stop.
func untilStoppingIn(ctx context.Context, grace time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	stopping := activity.GetWorkerStopChannel(ctx)
	go func() {
		select {
		case <-stopping:
		case <-done:
			return
		}
		wait := time.NewTimer(grace)
		defer wait.Stop()
		select {
		case <-wait.C:
			cancel(errStopping)
		case <-done:
		}
	}()
	return ctx, func() { close(done); cancel(nil) }
}
