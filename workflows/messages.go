package workflows

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// listen makes the task ready for queries, updates and signals. An update and the signal of the same name do the same.
func (t *pipeline) listen(ctx workflow.Context) error {
	err := workflow.SetQueryHandlerWithOptions(ctx, signals.QueryStatus, func() (signals.Status, error) { return *t.status, nil },
		workflow.QueryHandlerOptions{Description: "phase, plan, cost, sessions and the next human action"})
	if err != nil {
		return err
	}
	ib, qs := t.inbox, t.questions
	return errors.Join(
		receive(ctx, ib, signals.Approve, `let the plan pass, such as {"revision": 1}; also comment, by`, ib.canApprove, ib.onApprove),
		receive(ctx, ib, signals.Edit, `send the plan back, such as {"text": "what is to change"}; also revision, by`,
			ib.canEdit, ib.onEdit),
		receive(ctx, ib, signals.Reject, `end the task, whose plan is not wanted, such as {"reason": "why"}; also revision, by`,
			ib.canReject, ib.onReject),
		receive(ctx, ib, signals.Resume, `go on, such as {"addCost": 5}; also addTime ("30m"), note, by`,
			ib.canResume, ib.onResume, ib.budget.lifts),
		receive(ctx, ib, signals.Abandon, `end the task for good, such as {"reason": "why"}; also by`,
			ib.canAbandon, ib.onAbandon),
		receive(ctx, ib, signals.Allow,
			`allow a command or push that waits for a person, such as {"question": "4f2a"}; also forTask, comment, by`,
			qs.canAllow, qs.onAllow),
		receive(ctx, ib, signals.Deny, `refuse a command or push that waits for a person, such as {"question": "4f2a"}; also reason, by`,
			qs.canDeny, qs.onDeny),
		qs.listen(ctx),
		receive(ctx, ib, signals.Tell, `a message for the agent, such as {"text": "…"}; also by`, ib.canTell, ib.onTell))
}

// notForPeople begins what Temporal Web and Temporal's command line say of a message by which parts of Longshift talk to each other.
const notForPeople = "not for people: "

// request is any payload: it carries a delivery id and a sender.
type request interface{ Envelope() signals.Message }

// receive funnels an update and the signal of the same name into one reducer. What answered refuses is refused of updates alone, and has no
// effect on replays: they take every update of a history unasked, but ask again about each signal.
func receive[T request](
	ctx workflow.Context, ib *inbox, name, about string, allowed func(T) error, apply func(workflow.Context, T) string,
	answered ...func(T) error,
) error {
	once := func(ctx workflow.Context, req T) signals.Ack {
		if !ib.counted(req.Envelope().ID) {
			return ib.ack("already counted")
		}
		return ib.ack(apply(ctx, req))
	}
	read := func(payload json.RawMessage, more ...func(T) error) (T, error) {
		req, err := readPayload[T](payload)
		if err != nil || ib.delivered[req.Envelope().ID] {
			return req, err
		}
		err = allowed(req)
		for _, also := range more {
			err = cmp.Or(err, also(req))
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
			_, err := read(payload, answered...)
			return refusal(err)
		}})
	if err != nil {
		return err
	}
	onSignal(ctx, name, about, "signal "+name, func(ctx workflow.Context, payload json.RawMessage) {
		if req, err := read(payload); err != nil {
			ib.journal.say(ctx, "refused", "%s: %s", name, err)
		} else {
			once(ctx, req)
		}
	})
	return nil
}

// onSignal calls handle for each signal of a name, in a coroutine.
func onSignal[T any](ctx workflow.Context, name, about, coroutine string, handle func(workflow.Context, T)) {
	ch := workflow.GetSignalChannelWithOptions(ctx, name, workflow.SignalChannelOptions{Description: about})
	workflow.GoNamed(ctx, coroutine, func(ctx workflow.Context) {
		for {
			var payload T
			if !ch.Receive(ctx, &payload) {
				return
			}
			handle(ctx, payload)
		}
	})
}

// onUpdate makes a handler of a function that never waits. Requests that allowed refuses do not enter the history; it may be nil.
func onUpdate[Q, A any](
	ctx workflow.Context, name, about string, allowed func(Q) error, apply func(workflow.Context, Q) (A, error),
) error {
	options := workflow.UpdateHandlerOptions{Description: about}
	if allowed != nil {
		options.Validator = func(payload json.RawMessage) error {
			q, err := readPayload[Q](payload)
			if err == nil {
				err = allowed(q)
			}
			return refusal(err)
		}
	}
	return workflow.SetUpdateHandlerWithOptions(ctx, name, func(ctx workflow.Context, payload json.RawMessage) (a A, err error) {
		q, err := readPayload[Q](payload)
		if err == nil {
			a, err = apply(ctx, q)
		}
		return a, refusal(err)
	}, options)
}

// readPayload decodes the payload of a message; an empty one is the empty request. Unknown keys are refused: a misspelt "addCost" must not
// look as if it had counted.
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

// refusal is the error of a validator, with the kind that gives clients their exit code.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(fault.KindOf(err)),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{fault.HintOf(err)}})
}

func (ib *inbox) ack(text string) signals.Ack {
	a := signals.Ack{Phase: ib.status.Phase, Text: text}
	if ib.status.Plan != nil {
		a.Revision = ib.status.Plan.Revision
	}
	return a
}

// breathe lets all other coroutines run. A signal that has arrived waits for its coroutine, which may not have run yet: a workflow run
// that ends before would lose it.
func breathe(ctx workflow.Context) {
	turn := workflow.NewChannel(ctx)
	workflow.GoNamed(ctx, "last turn", func(ctx workflow.Context) { turn.Send(ctx, nil) }) // a new one comes after all others
	turn.Receive(ctx, nil)
}
