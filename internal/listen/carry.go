package listen

import (
	"context"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/channel"
)

// command gives a command to its task, whose id is in d. talk is the Conversation to which the message belongs that it answers,
// "" for none. From here on it is settled what the event means, also when it comes again.
func (e *Ear) command(ctx context.Context, ev channel.Event, d deed, c Command, talk string) (channel.Answer, error) {
	k := keyOf(ev, "meaning")
	if r, known := e.memory.recall(k); known {
		if r.no != "" {
			return channel.Answer{Text: r.no}, nil
		}
		d.verb, d.task, d.first = r.command.Verb, r.task, r.first
		return e.carry(ctx, ev, d, r.command)
	}
	c, a, err := e.settle(ctx, ev, &d, c, talk)
	if a != nil && err == nil {
		e.memory.refuse(k, a.Text)
	}
	if a != nil || err != nil {
		return answer(a), err
	}
	e.memory.keep(k, resolved{task: d.task, first: d.first, command: c})
	return e.carry(ctx, ev, d, c)
}

// again takes an event of which it is known what it means. Who may do what, and how old it is, may have changed.
func (e *Ear) again(ctx context.Context, ev channel.Event, r resolved) (channel.Answer, error) {
	if r.no != "" {
		return channel.Answer{Text: r.no}, nil
	}
	d := deed{verb: r.command.Verb, task: r.task, first: r.first, delivery: ev.ID}
	need, _ := needs(d.verb)
	if ok, a, err := e.permit(ctx, ev, d, need); !ok {
		return a, err
	}
	if e.late(ev.At, lateInChat) {
		return e.refuseLate(ctx, ev, d), nil
	}
	return e.carry(ctx, ev, d, r.command)
}

// carry gives a settled command to its task.
func (e *Ear) carry(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	if c.Verb == Cancel {
		return e.cancel(ctx, ev, d, c)
	}
	return e.deliver(ctx, ev, d, c)
}

// cancel asks the server to cancel a task, once for an event: a second one could hit what was started under the same id since.
func (e *Ear) cancel(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	const requested = "Cancel requested; what runs is being stopped."
	reason, err := c.either("reason")
	if err != nil {
		return e.failed(ctx, ev, d, err)
	}
	k := keyOf(ev, "cancel "+d.task)
	if !e.memory.claim(k) {
		return channel.Answer{Text: requested}, nil
	}
	sent := false
	defer func() {
		if !sent {
			e.memory.release(k)
		}
	}()
	return e.perform(ctx, ev, d, func(ctx context.Context) (done, error) {
		ctx, stop := context.WithTimeout(ctx, answerWithin)
		defer stop()
		why := "cancelled by " + e.name(ev.User)
		if reason != "" {
			why += ": " + clip(oneLine(reason), 500)
		}
		err := e.c.Client.CancelWorkflowWithOptions(ctx, client.CancelWorkflowOptions{WorkflowID: d.task, FirstExecutionRunID: d.first, Reason: why})
		sent = err == nil
		return done{answer: requested, reason: why}, refusal(err, d.task)
	})
}
