package listen

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

// deed is something that a person wants to have done.
type deed struct {
	verb, task string
	first      string // the task's first run, when another run under the same id is not meant
	delivery   string // names it for the task, which counts it once
}

// done is what came of a deed.
type done struct {
	answer  string // Markdown, for the one who asked
	reason  string // for the record
	refused bool
}

func (e *Ear) act(ev channel.Event, d deed, done bool, reason string) Act {
	return Act{Time: e.c.Now(), Channel: ev.Room.Channel, User: clip(oneLine(ev.User.ID), 200), Name: e.name(ev.User), Verb: d.verb,
		Task: clip(d.task, 200), Delivery: clip(d.delivery, 200), Done: done, Reason: clip(oneLine(e.c.Redact(reason)), 500)}
}

// perform does what somebody may do, and has it in the record before and after. What is refused becomes an answer; an error means
// that nobody knows whether it was done, and that the same delivery may come again.
func (e *Ear) perform(ctx context.Context, ev channel.Event, d deed, do func(context.Context) (done, error)) (channel.Answer, error) {
	if err := e.c.Record(ctx, e.act(ev, d, false, Asked)); err != nil {
		e.c.Log.Error("an act could not be recorded and was refused", "verb", d.verb, "error", err)
		return channel.Answer{Text: "Sorry, this could not be put on record, so it was not done. Please try again later."}, nil
	}
	result, err := do(ctx)
	switch {
	case err == nil:
		e.note(ctx, e.act(ev, d, !result.refused, result.reason))
		return channel.Answer{Text: result.answer}, nil
	case final(err):
		e.note(ctx, e.act(ev, d, false, err.Error()))
		return channel.Answer{Text: "Sorry, that was not done. " + e.said(err)}, nil
	}
	e.note(ctx, e.act(ev, d, false, "no answer: "+err.Error()))
	return channel.Answer{}, err
}

// refuse records a refusal and says it.
func (e *Ear) refuse(ctx context.Context, ev channel.Event, d deed, reason, text string) channel.Answer {
	e.note(ctx, e.act(ev, d, false, reason))
	return channel.Answer{Text: text}
}

// note records what has happened already. It must reach the record even when the one who asked has gone.
func (e *Ear) note(ctx context.Context, a Act) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := e.c.Record(ctx, a); err != nil {
		e.c.Log.Error("what came of an act could not be recorded", "verb", a.Verb, "task", a.Task, "done", a.Done, "error", err)
	}
}
