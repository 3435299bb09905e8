package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
)

// Interceptor wraps every activity. It sends heartbeats while the activity runs, so that the server notices a dead worker whatever the
// activity does. It turns faults into Temporal errors with type, retry rule and hint, without secrets.
type Interceptor struct {
	interceptor.WorkerInterceptorBase
	Redact *redact.Redactor
	Alone  time.Duration // how long activities go on without the server

	client func(context.Context) client.Client // replaces the SDK's, in tests
	silent sync.Map                            // workflows whose last heartbeat from this process got no answer, by run id
}

// InterceptActivity is called by the SDK.
func (i *Interceptor) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &inbound{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, of: i}
}

type inbound struct {
	interceptor.ActivityInboundInterceptorBase
	of *Interceptor
}

// ExecuteActivity is called by the SDK.
func (in *inbound) ExecuteActivity(ctx context.Context, input *interceptor.ExecuteActivityInput) (any, error) {
	b := newHeartbeat(in.of, activity.GetInfo(ctx))
	ctx, stop := b.run(context.WithValue(ctx, heartbeatKey{}, b))
	defer stop()
	out, err := in.Next.ExecuteActivity(ctx, input)
	return out, in.convert(ctx, err)
}

// UnfitAgent is the type of the cause of an error by which workflows know agent.Unfit.
const UnfitAgent = "UnfitAgent"

// convert returns the error that the workflow and people see.
func (in *inbound) convert(ctx context.Context, err error) error {
	var app *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &app), temporal.IsCanceledError(err):
		return err
	case ctx.Err() != nil && errors.Is(err, ctx.Err()) && temporal.IsCanceledError(context.Cause(ctx)):
		return temporal.NewCanceledError(used(ctx)...)
	case errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), errSilent): // what has ended the step, not its effect
		err = fault.New(fault.Infra, "%w", errSilent)
	}
	err = disk.Ours(err)
	kind := fault.KindOf(err)
	opts := temporal.ApplicationErrorOptions{
		// A stopping worker returns the step to the workflow, which decides where it continues.
		NonRetryable: !kind.Retryable() || kind == fault.Stopping,
		Details:      append([]any{in.of.Redact.String(fault.HintOf(err))}, used(ctx)...),
	}
	if errors.Is(err, errStopping) {
		opts.Category = temporal.ApplicationErrorCategoryBenign // the SDK logs it for debugging only: a worker that stops is no error
	}
	if _, unfit := errors.AsType[*agent.Unfit](err); unfit {
		opts.Cause = temporal.NewApplicationError("the agent can't work on this host, whatever the task is", UnfitAgent)
	}
	var wait *fault.Later
	if errors.As(err, &wait) {
		opts.NextRetryDelay = wait.After
	}
	return temporal.NewApplicationErrorWithOptions(excerpt.Tail(in.of.Redact.String(err.Error()), 2000), string(kind), opts)
}

// used returns what a failed attempt tells the workflow of its work, as its heartbeats do: what a session has used counts, however it ends.
func used(ctx context.Context) []any {
	if said := heartbeatOf(ctx).says(); said != nil {
		return []any{said}
	}
	return nil
}
