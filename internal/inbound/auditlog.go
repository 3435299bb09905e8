package inbound

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/inbound/render"
)

// Act is one line of the audit log. A request that changes something has two: one before it is tried, with the reason Asked, and one
// with the result. A refusal has one.
type Act struct {
	Time     time.Time
	Channel  string
	User     string // id
	Name     string // as the channel shows it; users can choose it, so it proves nothing
	Verb     string
	Task     string // workflow id, when a task is meant
	Delivery string // id of the event, or of the button
	Done     bool
	Reason   string // of a refusal or a failure; the answer when it is done
}

// Asked is the Reason of an Act that is about to be tried.
const Asked = "asked"

type outcome struct {
	answer  string // Markdown for the person
	reason  string // for the audit log
	refused bool
}

type attempt func(ctx context.Context) (outcome, error)

type auditLog struct {
	record    func(context.Context, Act) error
	render    render.Markdown
	log       *slog.Logger
	now       func() time.Time
	strangers Counter
}

func (l *auditLog) line(ev channel.Event, r request, done bool, reason string) Act {
	return Act{Time: l.now(), Channel: ev.Room.Channel, User: render.Line(ev.User.ID, 200),
		Name: l.render.Name(ev.User.Name, ev.User.ID), Verb: r.verb, Task: excerpt.Clip(r.task, 200),
		Delivery: excerpt.Clip(r.delivery, 200), Done: done, Reason: render.Line(l.render.Redact(reason), 500)}
}

// perform carries out a request, with one line before and one after. It does nothing when the first line can't be written. A final error
// becomes an answer. Any other error means that it is not known whether the request was carried out: the same event may be delivered again.
func (l *auditLog) perform(ctx context.Context, ev channel.Event, r request, do attempt) (channel.Answer, error) {
	if err := l.record(ctx, l.line(ev, r, false, Asked)); err != nil {
		l.log.Error("an act could not be recorded and was refused", "verb", r.verb, "error", err)
		return channel.Answer{Text: "Sorry, this could not be put on record, so it was not done. Please try again later."}, nil
	}
	result, err := do(ctx)
	switch {
	case err == nil:
		l.note(ctx, l.line(ev, r, !result.refused, result.reason))
		return channel.Answer{Text: result.answer}, nil
	case final(err):
		l.note(ctx, l.line(ev, r, false, err.Error()))
		return channel.Answer{Text: "Sorry, that was not done. " + l.render.Error(err)}, nil
	}
	l.note(ctx, l.line(ev, r, false, "no answer: "+err.Error()))
	return channel.Answer{}, err
}

// refused records a refusal and returns its answer. Everything that is done waits for the audit log, so strangers must not be able to fill
// it: each of them gets one line a minute, which counts the refusals since the last one.
func (l *auditLog) refused(ctx context.Context, ev channel.Event, no *refusal) channel.Answer {
	text := no.text
	if text == "" && no.cause != nil {
		text = l.render.Error(no.cause)
	}
	reason, due := no.Error(), true
	if no.stranger {
		var more int
		if more, due = l.strangers.Next(ev.Room.Channel+"\x00"+excerpt.Clip(ev.User.ID, 200), l.now()); more > 0 {
			reason += fmt.Sprintf(", and %d more", more)
		}
	}
	if due {
		l.note(ctx, l.line(ev, no.request, false, reason))
	}
	return channel.Answer{Text: text}
}

// note records what has already happened. It does so even when the caller has gone.
func (l *auditLog) note(ctx context.Context, a Act) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := l.record(ctx, a); err != nil {
		l.log.Error("what came of an act could not be recorded", "verb", a.Verb, "task", a.Task, "done", a.Done, "error", err)
	}
}
