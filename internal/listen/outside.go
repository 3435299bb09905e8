package listen

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// outside takes a message that is meant for us and belongs to no task.
func (e *Ear) outside(ctx context.Context, ev channel.Event) (channel.Answer, error) {
	c, ok := cutVerb(ev.Text)
	if !ok {
		return e.hint(), nil
	}
	d := deed{verb: c.Verb, delivery: ev.ID}
	c, a, err := e.read(ctx, ev, d, c)
	if a != nil || err != nil {
		return answer(a), err
	}
	switch c.Verb {
	case Run:
		return e.run(ctx, ev, d, c)
	case Cron, cronCreate, cronList, cronDelete:
		return e.cron(ctx, ev, d, c)
	case Help:
		return e.help(), nil
	case List:
		return e.list(ctx)
	case Workspaces:
		return e.workspaces(ctx, ev, d, c)
	case Status, Logs:
		if c = c.Named(); c.Task != "" {
			return e.show(ctx, c)
		}
		t, err := e.here(ctx, ev.Room)
		switch {
		case err == nil:
			return e.showTarget(ctx, c.Verb, t)
		case !final(err):
			return channel.Answer{}, err
		case c.Verb == Status:
			return e.list(ctx)
		}
		return channel.Answer{Text: e.said(err)}, nil
	}
	return e.onAny(ctx, ev, d, c)
}

// onAny finds the task that a command is for, and gives it the command.
func (e *Ear) onAny(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	if c.Task != "" {
		return e.onNamed(ctx, ev, d, c)
	}
	if c.Text != "" && !c.Marked {
		named := c.Named()
		_, err := e.named(ctx, named.Task, false)
		if err == nil || fault.KindOf(err) != fault.NotFound || !c.mayBeText() {
			return e.onNamed(ctx, ev, d, named)
		}
	}
	t, err := e.here(ctx, ev.Room)
	if err != nil {
		return e.failed(ctx, ev, d, err)
	}
	d.task, d.first = t.id, t.first
	return e.command(ctx, ev, d, c, "") // what it answers is nobody's message
}

// mayBeText tells whether the word behind the verb may be something else than a task.
func (c Command) mayBeText() bool {
	switch c.Verb {
	case signals.Edit, signals.Tell:
		return true
	case signals.Allow, signals.Deny: // the id of a command
		return !strings.ContainsAny(c.Text, " \t\n")
	}
	return false
}

// onNamed gives a command to the task that it names.
func (e *Ear) onNamed(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	r, err := e.named(ctx, c.Task, false)
	if err != nil {
		return e.failed(ctx, ev, d, err)
	}
	d.task = r.id
	t, err := e.heir(ctx, r)
	if err != nil {
		return e.failed(ctx, ev, d, err)
	}
	d.task, d.first = t.id, t.first
	return e.command(ctx, ev, d, c, "")
}

// failed answers what is final, and hands on what is not.
func (e *Ear) failed(ctx context.Context, ev channel.Event, d deed, err error) (channel.Answer, error) {
	if !final(err) {
		return channel.Answer{}, err
	}
	a := e.refuse(ctx, ev, d, err.Error(), e.said(err))
	e.memory.refuse(keyOf(ev, "meaning"), a.Text)
	return a, nil
}
