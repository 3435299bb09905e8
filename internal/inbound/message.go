package inbound

import (
	"context"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

type message struct {
	event     channel.Event   // its text is readable and holds no secrets, because it goes into histories
	threaded  bool            // it answers a message, or belongs to a thread
	written   command.Command // as written: one-time codes are read from it
	command   command.Command // of the event's text
	isCommand bool            // the text begins with a verb
	request   request
}

func parseMessage(ev channel.Event, redact func(string) string) message {
	m := message{event: ev, threaded: ev.ReplyTo != "" || ev.Room.Thread != "", request: request{verb: string(ev.Kind), delivery: ev.ID}}
	m.written, m.isCommand = command.Cut(render.Readable(ev.Text))
	m.event.Text = render.Readable(redact(ev.Text))
	if m.isCommand {
		m.command, m.isCommand = command.Cut(m.event.Text)
		m.request.verb = m.written.Verb
	}
	return m
}

type messages struct {
	access   access
	codes    codes
	recent   *recent
	server   server
	find     finder
	commands taskCommands
	verbs    verbs
}

// decide finds out whom a message is for. A message that is not for Longshift gets no answer.
func (d messages) decide(ctx context.Context, m message) (decision, error) {
	if m.isCommand && m.written.Verb == command.Start && private(m.event) && !m.threaded {
		return d.codes.decide(ctx, m)
	}
	if ok, err := d.access.admit(ctx, m); !ok {
		return decision{}, err
	}
	if r, again := d.recent.get(keyOf(m.event, forTask)); again {
		return d.redelivered(ctx, m, r)
	}
	if m.threaded {
		t, ok, err := d.find.inThread(ctx, m.event)
		switch {
		case err != nil:
			return decision{}, err
		case ok:
			return d.inThread(ctx, m, t)
		}
	}
	switch {
	case !m.event.Direct:
		return decision{}, nil
	case !m.isCommand:
		return answer(hint), nil
	}
	return d.verbs.decide(ctx, m.event, m.request, m.command, target{})
}

// redelivered decides about a message that was resolved before. The rights of its author, and its age, may have changed since.
func (d messages) redelivered(ctx context.Context, m message, r resolution) (decision, error) {
	if r.refused != "" {
		return answer(r.refused), nil
	}
	need, _ := needs(r.command.Verb)
	if err := d.access.permit(ctx, m.event, r.request, need); err != nil {
		return decision{}, err
	}
	if err := d.access.fresh(m.event, r.request); err != nil {
		return decision{}, err
	}
	return d.commands.action(m.event, r.request, r.command)
}

// inThread decides about a message in the thread of a task.
func (d messages) inThread(ctx context.Context, m message, t target) (decision, error) {
	switch {
	case m.isCommand && m.command.Verb == command.Start && command.HoldsCode(m.command.Text): // it must not become a message to the task
		return decision{}, m.request.of(t).refuse("a code in a thread", codeElsewhere+" If you meant words for the task, write `tell start …`.")
	case !m.isCommand || m.command.IsSentence():
		return d.plainWords(ctx, m.event, t)
	}
	return d.verbs.decide(ctx, m.event, m.request, m.command, t)
}

// plainWords decides about words without a verb: they are an edit of a plan that waits for approval, else a message for the next session.
func (d messages) plainWords(ctx context.Context, ev channel.Event, t target) (decision, error) {
	if ev.Text == "" {
		return decision{}, nil
	}
	r := request{verb: signals.Tell, delivery: ev.ID}.of(t)
	if err := d.access.permit(ctx, ev, r, toApprove); err != nil {
		if !ev.Direct { // people talk to each other in threads
			err = d.access.once("talk:", ev, err)
		}
		return decision{}, err
	}
	if err := d.access.fresh(ev, r); err != nil {
		return decision{}, err
	}
	status, err := d.server.status(ctx, t.id)
	switch {
	case err != nil && fault.KindOf(err) != fault.Work && fault.KindOf(err) != fault.NotFound:
		return decision{}, err
	case err == nil && status.Phase == task.Approving && status.Plan != nil:
		r.verb = signals.Edit
	}
	c := command.Command{Verb: r.verb, Text: ev.Text, Options: map[string]string{}}
	return d.commands.decide(ctx, ev, r, c, t.conversation)
}
