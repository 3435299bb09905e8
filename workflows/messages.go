package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// listen makes the task ready for queries, updates and signals. An update and the signal of the same name do the same.
func (t *pipeline) listen(ctx workflow.Context) error {
	err := workflow.SetQueryHandlerWithOptions(ctx, signals.QueryStatus, func() (signals.Status, error) { return t.status, nil },
		workflow.QueryHandlerOptions{Description: "phase, plan, cost, sessions and the next human action"})
	if err != nil {
		return err
	}
	for _, m := range []func() error{
		func() error {
			return receive(ctx, t, signals.Approve, "let the plan pass: {revision, comment, by}", t.canApprove, t.onApprove)
		},
		func() error {
			return receive(ctx, t, signals.Edit, "send the plan back: {text, revision, by}", t.canEdit, t.onEdit)
		},
		func() error {
			return receive(ctx, t, signals.Reject, "end the task, the plan is not wanted: {reason, revision, by}", t.canReject, t.onReject)
		},
		func() error {
			return receive(ctx, t, signals.Resume, "go on: {note, addCost, addTime, by}", t.canResume, t.onResume)
		},
		func() error {
			return receive(ctx, t, signals.Abandon, "end the task for good: {reason, by}", always[signals.AbandonRequest], t.onAbandon)
		},
		func() error {
			return receive(ctx, t, signals.Tell, "a message for the next session: {text, by}", t.canTell, t.onTell)
		},
	} {
		if err := m(); err != nil {
			return err
		}
	}
	return nil
}

// request is any payload: it carries a delivery id and a sender.
type request interface{ Envelope() signals.Message }

// receive funnels an update and the signal of the same name into one reducer.
func receive[T request](ctx workflow.Context, t *pipeline, name, about string, allowed func(T) error, apply func(workflow.Context, T) string) error {
	once := func(ctx workflow.Context, req T) signals.Ack {
		text := "already counted"
		if id := req.Envelope().ID; id == "" || !t.delivered[id] {
			if id != "" {
				t.delivered[id] = true
			}
			text = apply(ctx, req)
		}
		return t.ack(text)
	}
	err := workflow.SetUpdateHandlerWithOptions(ctx, name,
		func(ctx workflow.Context, req T) (signals.Ack, error) { return once(ctx, req), nil },
		workflow.UpdateHandlerOptions{Description: about, Validator: func(req T) error {
			if t.delivered[req.Envelope().ID] {
				return nil
			}
			return refusal(allowed(req))
		}})
	if err != nil {
		return err
	}
	ch := workflow.GetSignalChannelWithOptions(ctx, name, workflow.SignalChannelOptions{Description: about})
	workflow.GoNamed(ctx, "signal "+name, func(ctx workflow.Context) {
		for {
			var req T
			if !ch.Receive(ctx, &req) {
				return
			}
			if err := allowed(req); err != nil {
				t.say(ctx, "refused", "%s: %s", name, err)
				continue
			}
			once(ctx, req)
		}
	})
	return nil
}

// refusal is how a validator says no: with the kind that gives clients their exit code.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(fault.KindOf(err)),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{fault.HintOf(err)}})
}

func (t *pipeline) ack(text string) signals.Ack {
	a := signals.Ack{Phase: t.status.Phase, Text: text}
	if t.status.Plan != nil {
		a.Revision = t.status.Plan.Revision
	}
	return a
}

func always[T any](T) error { return nil }
