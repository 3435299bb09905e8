package workflows

import (
	"bytes"
	"encoding/json"
	"strings"

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
			return receive(ctx, t, signals.Allow, "let a command run that waits for a person: {question, comment, forTask, by}", t.canAllow, t.onAllow)
		},
		func() error {
			return receive(ctx, t, signals.Deny, "refuse a command that waits for a person: {question, reason, by}", t.canDeny, t.onDeny)
		},
		func() error { return t.hearQuestions(ctx) },
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
				t.delivered[id], t.seen = true, append(t.seen, id)
			}
			text = apply(ctx, req)
		}
		return t.ack(text)
	}
	read := func(payload json.RawMessage) (T, error) {
		req, err := readPayload[T](payload)
		if err == nil && !t.delivered[req.Envelope().ID] {
			err = allowed(req)
		}
		return req, err
	}
	err := workflow.SetUpdateHandlerWithOptions(ctx, name,
		func(ctx workflow.Context, payload json.RawMessage) (signals.Ack, error) {
			req, err := readPayload[T](payload)
			if err != nil {
				return signals.Ack{}, refusal(err) // never: the validator has read it
			}
			return once(ctx, req), nil
		},
		workflow.UpdateHandlerOptions{Description: about, Validator: func(payload json.RawMessage) error {
			_, err := read(payload)
			return refusal(err)
		}})
	if err != nil {
		return err
	}
	ch := workflow.GetSignalChannelWithOptions(ctx, name, workflow.SignalChannelOptions{Description: about})
	workflow.GoNamed(ctx, "signal "+name, func(ctx workflow.Context) {
		for {
			var payload json.RawMessage
			if !ch.Receive(ctx, &payload) {
				return
			}
			if req, err := read(payload); err != nil {
				t.say(ctx, "refused", "%s: %s", name, err)
			} else {
				once(ctx, req)
			}
		}
	})
	return nil
}

// readPayload reads what came with a message. Nothing at all is the empty request. A key that is not known is refused: a
// misspelt "addCost" must not look as if it had been heard.
func readPayload[T any](payload json.RawMessage) (req T, err error) {
	if len(bytes.TrimSpace(payload)) == 0 {
		return req, nil
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&req); err != nil {
		return req, fault.New(fault.Input, "the payload can't be read: %s", strings.TrimPrefix(err.Error(), "json: ")).
			WithHint("give a JSON object with the keys of this message, or nothing")
	}
	return req, nil
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

// breathe lets everything else in the workflow take its turn. A signal that has come lies with the coroutine that waits for it, which
// may not have had its turn yet: a run that ends before would have lost it.
func breathe(ctx workflow.Context) {
	turn := workflow.NewChannel(ctx)
	workflow.GoNamed(ctx, "last turn", func(ctx workflow.Context) { turn.Send(ctx, nil) }) // a new one comes after all others
	turn.Receive(ctx, nil)
}

func always[T any](T) error { return nil }
