package activities

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
)

// Interceptor wraps every activity: it beats while the activity runs, so that a dead worker is noticed whatever it was
// doing, and it turns faults into Temporal errors with type, retry rule and hint, free of secrets.
type Interceptor struct {
	interceptor.WorkerInterceptorBase
	Redact *redact.Redactor
}

// InterceptActivity is called by the SDK.
func (i *Interceptor) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &inbound{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, redact: i.Redact}
}

type inbound struct {
	interceptor.ActivityInboundInterceptorBase
	redact *redact.Redactor
}

// ExecuteActivity is called by the SDK.
func (in *inbound) ExecuteActivity(ctx context.Context, input *interceptor.ExecuteActivityInput) (any, error) {
	b := &beater{}
	ctx = context.WithValue(ctx, beaterKey{}, b)
	stop := b.run(ctx, activity.GetInfo(ctx).HeartbeatTimeout)
	defer stop()
	out, err := in.Next.ExecuteActivity(ctx, input)
	return out, in.convert(ctx, err)
}

// convert gives the error the workflow and people see.
func (in *inbound) convert(ctx context.Context, err error) error {
	var app *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &app), temporal.IsCanceledError(err):
		return err
	case ctx.Err() != nil && errors.Is(err, ctx.Err()) && temporal.IsCanceledError(context.Cause(ctx)):
		return temporal.NewCanceledError()
	}
	err = disk.Ours(err)
	kind := fault.KindOf(err)
	opts := temporal.ApplicationErrorOptions{
		// A stopping worker hands the task back: the workflow decides where it goes on.
		NonRetryable: !kind.Retryable() || kind == fault.Stopping,
		Details:      []any{in.redact.String(fault.HintOf(err))},
	}
	if kind == fault.Stopping { // what the attempt has used so far must not get lost with it
		if b, ok := ctx.Value(beaterKey{}).(*beater); ok {
			if details := b.details.Load(); details != nil {
				opts.Details = append(opts.Details, (*details)())
			}
		}
	}
	var wait *fault.Later
	if errors.As(err, &wait) {
		opts.NextRetryDelay = wait.After
	}
	return temporal.NewApplicationErrorWithOptions(tail(in.redact.String(err.Error()), 2000), string(kind), opts)
}

type beaterKey struct{}

// beater sends heartbeats from a ticker, not from the work: a model may think for minutes without a word.
type beater struct {
	beats   bool // the activity has a heartbeat timeout
	details atomic.Pointer[func() any]
}

// beatWith sets what the heartbeats of this activity say from now on; nil for nothing.
func beatWith(ctx context.Context, details func() any) {
	if b, ok := ctx.Value(beaterKey{}).(*beater); ok {
		if details == nil {
			b.details.Store(nil)
			return
		}
		b.details.Store(&details)
	}
}

// beatNow sends a heartbeat at once, and has those that follow say the same.
func beatNow(ctx context.Context, said any) {
	if b, ok := ctx.Value(beaterKey{}).(*beater); ok && b.beats {
		beatWith(ctx, func() any { return said })
		b.send(context.WithoutCancel(ctx))
	}
}

func (b *beater) run(ctx context.Context, timeout time.Duration) (stop func()) {
	if timeout <= 0 {
		return func() {}
	}
	b.beats = true
	// The heartbeat's context must outlive a cancel, or the SDK drops every heartbeat after it.
	beat := context.WithoutCancel(ctx)
	done := make(chan struct{})
	every := min(timeout/4, 5*time.Second)
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for { // the first one is not at once: it would cross with the end of an activity that takes a moment
			select {
			case <-done:
				return
			case <-ticker.C:
				b.send(beat)
			}
		}
	}()
	return func() { close(done) }
}

func (b *beater) send(ctx context.Context) {
	if details := b.details.Load(); details != nil {
		activity.RecordHeartbeat(ctx, (*details)())
		return
	}
	activity.RecordHeartbeat(ctx)
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
