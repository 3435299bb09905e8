package inbound

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
)

// verbs decides about messages that begin with a verb.
type verbs struct {
	access   access
	find     finder
	commands taskCommands
	show     views
	runs     runs
	jobs     jobVerbs
	projects projectVerbs
	render   render.Markdown
	help     string
}

// decide decides about a command. thread is the task whose thread it was written in; outside of such threads it is empty.
func (v verbs) decide(ctx context.Context, ev channel.Event, r request, c command.Command, thread target) (decision, error) {
	c, err := v.read(ctx, ev, r.of(thread), c)
	if err != nil {
		return decision{}, err
	}
	switch inThread := thread.id != ""; {
	case c.Verb == command.Help:
		return answer(v.help), nil
	case c.Verb == command.List:
		return v.show.list(ctx)
	case c.Verb == command.Projects:
		return v.projects.decide(ctx, ev, r, c)
	case command.IsCron(c.Verb):
		return v.jobs.decide(ctx, ev, r, c)
	case c.Verb == command.Status || c.Verb == command.Logs:
		return v.showTask(ctx, ev, c.Named(), thread)
	case c.Verb == command.Run && inThread:
		return decision{}, r.of(thread).refuse("run in the thread of another task", fmt.Sprintf("This thread belongs to task %s. "+
			"To start another task, write it outside of this thread. To say it to this one, write `tell %s`.", v.render.Mono(thread.id), "run …"))
	case c.Verb == command.Run:
		return v.runs.decide(ctx, ev, r, c)
	case inThread && c.Task == "" && c.IsAmbiguous():
		return decision{}, ambiguous(r.of(thread))
	}
	t, c, err := v.taskFor(ctx, ev, c, thread)
	if err != nil {
		return decision{}, r.of(t).failed(err)
	}
	return v.commands.decide(ctx, ev, r.of(t), c, t.conversation)
}

// read checks the right to a command and its age, and reads its options.
func (v verbs) read(ctx context.Context, ev channel.Event, r request, c command.Command) (command.Command, error) {
	need, ok := needs(c.Verb)
	if !ok { // start, where no code is taken
		return c, r.refuse("a code outside of a private chat", codeElsewhere)
	}
	if err := v.access.permit(ctx, ev, r, need); err != nil {
		return c, err
	}
	if changes(c.Verb) {
		if err := v.access.fresh(ev, r); err != nil {
			return c, err
		}
	}
	if len(ev.Text) > command.MaxLength {
		_, err := command.Parse(ev.Text)
		return c, &refusal{request: r, reason: "too long", cause: err}
	}
	c, err := c.WithOptions()
	if err != nil {
		return c, r.invalid(err)
	}
	return c, nil
}

// showTask shows the task that a command names, else that of the thread, else that of the room. Without one, status lists all tasks.
func (v verbs) showTask(ctx context.Context, ev channel.Event, c command.Command, thread target) (decision, error) {
	switch {
	case c.Task != "":
		return v.show.named(ctx, c)
	case thread.id != "":
		return v.show.task(ctx, c.Verb, thread)
	}
	t, err := v.find.inRoom(ctx, ev.Room)
	switch {
	case err == nil:
		return v.show.task(ctx, c.Verb, t)
	case !final(err):
		return decision{}, err
	case c.Verb == command.Status:
		return v.show.list(ctx)
	}
	return answer(v.render.Error(err)), nil
}

// taskFor finds the task of a command: the one that it names, else that of the thread, else that of the room. Only in its thread does a
// message answer messages of the task's Conversation. With an error, the target is as much as is known of the task.
func (v verbs) taskFor(ctx context.Context, ev channel.Event, c command.Command, thread target) (target, command.Command, error) {
	switch {
	case c.Task != "":
		t, err := v.named(ctx, c.Task, thread)
		return t, c, err
	case thread.id != "":
		return thread, c, nil
	case c.Text != "" && !c.Marked:
		named := c.Named()
		t, err := v.named(ctx, named.Task, thread)
		if err == nil || t.id != "" || fault.KindOf(err) != fault.NotFound || !c.MayBeText() {
			return t, named, err
		}
	}
	t, err := v.find.inRoom(ctx, ev.Room)
	t.conversation = ""
	return t, c, err
}

// named finds the workflow that takes commands for a task that is named. With an error, the target is as much as is known of the task,
// otherwise that of the thread.
func (v verbs) named(ctx context.Context, name string, thread target) (target, error) {
	found, err := v.find.named(ctx, name, false)
	if err != nil {
		return thread, err
	}
	t, err := v.find.successor(ctx, found)
	if err != nil {
		return target{id: found.id}, err
	}
	t.conversation = ""
	return t, nil
}

// ambiguous asks whether a command was meant.
func ambiguous(r request) *refusal {
	return r.refuse("not clear", fmt.Sprintf("Did you mean the command? Write `%s` alone, or `%s: …` with your words behind the colon. "+
		"To ask for a change write `edit …`; to leave a message write `tell …`.", r.verb, r.verb))
}
