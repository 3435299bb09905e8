package listen

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// heard takes a message. What is not meant for us gets no answer.
func (e *Ear) heard(ctx context.Context, ev channel.Event) (channel.Answer, error) {
	threaded := ev.ReplyTo != "" || ev.Room.Thread != ""
	c, isCommand := cutVerb(readable(ev.Text))
	d := deed{verb: string(ev.Kind), delivery: ev.ID}
	if isCommand {
		d.verb = c.Verb
	}
	switch {
	case isCommand && c.Verb == Start && private(ev) && !threaded:
		return e.bind(ctx, ev, c.Text)
	case !ev.Direct && !threaded:
		return channel.Answer{}, nil
	case !e.served(ev):
		if ev.Direct {
			return e.turnAway(ctx, ev, d, "the room is not served", ""), nil
		}
		return channel.Answer{}, nil
	}
	ev.Text = readable(e.c.Redact(ev.Text)) // what people paste goes into histories
	known, err := e.may(ctx, ev, toRead)
	switch {
	case err != nil:
		a, err := e.unsure(ctx, ev, d, err)
		if !ev.Direct && (!isCommand || isSentence(c)) && !e.told.first("unsure:"+ev.Room.Channel+":"+ev.User.ID, e.c.Now()) {
			a = channel.Answer{} // people talk in threads; once is enough
		}
		return a, err
	case !known && !ev.Direct: // strangers who talk to each other: for them nothing is looked up, not even whether the thread is ours
		return channel.Answer{}, nil
	case !known && isCommand && c.Verb == Start && holdsCode(c.Text):
		text := codeElsewhere
		if !e.told.first("code:"+ev.Room.Channel+":"+ev.User.ID, e.c.Now()) {
			text = ""
		}
		return e.turnAway(ctx, ev, d, "a code outside of a private chat", text), nil
	case !known:
		return e.stranger(ctx, ev, d), nil
	}
	if r, again := e.memory.recall(keyOf(ev, "meaning")); again {
		return e.again(ctx, ev, r)
	}
	t, ours := target{}, false
	if threaded {
		if t, ours, err = e.thread(ctx, ev); err != nil {
			return channel.Answer{}, err
		}
	}
	switch {
	case ours:
		return e.inThread(ctx, ev, t)
	case ev.Direct:
		return e.outside(ctx, ev)
	}
	return channel.Answer{}, nil
}

// inThread takes a message about a task.
func (e *Ear) inThread(ctx context.Context, ev channel.Event, t target) (channel.Answer, error) {
	c, ok := cutVerb(ev.Text)
	d := deed{verb: c.Verb, task: t.id, first: t.first, delivery: ev.ID}
	switch {
	case ok && c.Verb == Start && holdsCode(c.Text): // it must not become a message to the task
		return e.refuse(ctx, ev, d, "a code in a thread", codeElsewhere+" If you meant words for the task, write `tell start …`."), nil
	case !ok || isSentence(c):
		return e.remark(ctx, ev, t)
	}
	c, a, err := e.read(ctx, ev, d, c)
	if a != nil || err != nil {
		return answer(a), err
	}
	switch {
	case c.Verb == Run:
		return e.refuse(ctx, ev, d, "run in the thread of another task", fmt.Sprintf("This thread belongs to task %s. To start another task, write it outside of this thread. "+
			"To say it to this one, write `tell %s`.", e.mono(t.id), "run …")), nil
	case isCron(c.Verb):
		return e.cron(ctx, ev, d, c)
	case c.Verb == Help:
		return e.help(), nil
	case c.Verb == List:
		return e.list(ctx)
	case c.Verb == Workspaces:
		return e.workspaces(ctx, ev, deed{verb: c.Verb, delivery: ev.ID}, c)
	case c.Verb == Status || c.Verb == Logs:
		if c = c.Named(); c.Task != "" {
			return e.show(ctx, c)
		}
		return e.showTarget(ctx, c.Verb, t)
	case c.Task != "":
		return e.onNamed(ctx, ev, d, c)
	case isLoose(c):
		return e.askBack(ctx, ev, d), nil
	}
	return e.command(ctx, ev, d, c, t.talk)
}

// read reads the options of a command and asks for the right to give it. With an answer, or an error, it goes no further.
func (e *Ear) read(ctx context.Context, ev channel.Event, d deed, c Command) (Command, *channel.Answer, error) {
	r, ok := needs(c.Verb)
	if !ok { // start, where no code is taken
		a := e.refuse(ctx, ev, d, "a code outside of a private chat", codeElsewhere)
		return c, &a, nil
	}
	if ok, a, err := e.permit(ctx, ev, d, r); !ok {
		return c, &a, err
	}
	if decides(c.Verb) && e.late(ev.At, lateInChat) {
		a := e.refuseLate(ctx, ev, d)
		return c, &a, nil
	}
	if len(ev.Text) > maxCommand {
		c, err := ParseCommand(ev.Text) // says how long it may be
		a := e.refuse(ctx, ev, d, "too long", e.said(err))
		return c, &a, nil
	}
	c, err := c.parsed()
	if err != nil {
		a := e.refuse(ctx, ev, d, err.Error(), e.said(err))
		return c, &a, nil
	}
	return c, nil, nil
}

func answer(a *channel.Answer) channel.Answer {
	if a == nil {
		return channel.Answer{}
	}
	return *a
}

// remark takes words without a verb: a change of the plan while one waits for a decision, else a message for the next session.
func (e *Ear) remark(ctx context.Context, ev channel.Event, t target) (channel.Answer, error) {
	if ev.Text == "" {
		return channel.Answer{}, nil
	}
	d := deed{verb: signals.Tell, task: t.id, first: t.first, delivery: ev.ID}
	ok, a, err := e.permit(ctx, ev, d, toApprove)
	if err != nil {
		return channel.Answer{}, err
	}
	if !ok {
		if !ev.Direct && !e.told.first("talk:"+ev.Room.Channel+":"+ev.User.ID, e.c.Now()) {
			a = channel.Answer{} // people talk in threads; once is enough
		}
		return a, nil
	}
	if e.late(ev.At, lateInChat) {
		return e.refuseLate(ctx, ev, d), nil
	}
	c := Command{Verb: signals.Tell, Text: ev.Text, Options: map[string]string{}}
	status, err := e.status(ctx, t.id, "")
	switch {
	case err != nil && fault.KindOf(err) != fault.Work && fault.KindOf(err) != fault.NotFound:
		return channel.Answer{}, err
	case err == nil && status.Phase == task.Approving && status.Plan != nil:
		d.verb, c.Verb = signals.Edit, signals.Edit
	}
	return e.command(ctx, ev, d, c, t.talk)
}
