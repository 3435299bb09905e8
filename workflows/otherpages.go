package workflows

import (
	"cmp"
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// pollPage is the page of a poll, whose result is nil while it runs.
func pollPage(ctx workflow.Context, in signals.IntakeInput, r *signals.PollResult) {
	var p page
	namespace, state := workflow.GetInfo(ctx).Namespace, "polling"
	if r != nil {
		state = fmt.Sprintf("%d started", len(r.Started))
	}
	p.title(state, "")
	p.fact("Next human action", "none; `longshift intake list` shows all intakes")
	p.fact("Intake", "%s: %s for %s", task.Literally(in.Name), in.Source, task.Literally(in.Repository))
	if r == nil {
		p.put(ctx)
		return
	}
	p.fact("Looked at", "%d", r.Seen)
	if r.Waiting > 0 {
		p.fact("Waited for their turn already", "%d", r.Waiting)
	}
	if len(r.Started) > 0 {
		p.heading("**Started**")
	}
	for _, id := range r.Started {
		p.item("%s", linked(namespace, id, ""))
	}
	if len(r.Skipped) > 0 {
		p.heading("**Left alone**")
	}
	for _, l := range r.Skipped {
		p.item("%s", task.Literally(excerpt.Line(l.Key+": "+l.Why, 200)))
	}
	p.put(ctx)
}

// picture puts the Conversation's page: of what, where, and what waits to be shown.
func (c *conversation) picture(ctx workflow.Context) {
	var p page
	state := "up to date"
	switch {
	case !c.quiet():
		state = "showing"
	case c.final:
		state = "ended"
	}
	p.title(state, "")
	p.fact("Next human action", "none; decide in the chat, or on the page of the task")
	p.fact("Task", "%s", linked(workflow.GetInfo(ctx).Namespace, c.last.Workflow, c.last.Run))
	for _, r := range c.rooms {
		open := 0
		for _, m := range r.Messages {
			if m.Settled == "" {
				open++
			}
		}
		p.fact(task.Literally(excerpt.Line(r.Channel+" "+r.ID, 80)), "%d messages, %d with buttons that count, %d notices wait", len(r.Messages),
			open, len(r.queue))
	}
	p.put(ctx)
}

// pictured makes an update bring the Directory's page up to date.
func pictured[Q, A any](d *directory, apply func(workflow.Context, Q) (A, error)) func(workflow.Context, Q) (A, error) {
	return func(ctx workflow.Context, q Q) (A, error) {
		defer d.picture(ctx)
		return apply(ctx, q)
	}
}

// picture puts the Directory's page. It names nobody: `longshift chats` does.
func (d *directory) picture(ctx workflow.Context) {
	var p page
	p.title(fmt.Sprintf("%d chats bound", len(d.Bindings)), "")
	p.fact("Next human action", "none; `longshift chats` lists them, `longshift chats invite` makes a code for another one")
	p.fact("Codes that were not used yet", "%d", len(d.Invitations))
	p.fact("Workspaces chosen", "%d", len(d.Workspaces))
	p.put(ctx)
}

// arrivalPage is the page of a request; did says what became of it, "" while that is not known.
func arrivalPage(ctx workflow.Context, e forge.Event, did string) {
	var p page
	p.title(cmp.Or(map[bool]string{true: "done"}[did != ""], "at work"), "")
	p.fact("Next human action", "none; the answer is written at the forge")
	p.fact("Request", "%s by %s in %s", task.Literally(strings.ReplaceAll(string(e.Kind), "_", " ")),
		task.Literally(cmp.Or(e.Actor, "somebody")),
		task.Literally(e.Owner+"/"+e.Name))
	if e.Number > 0 {
		p.fact("About", "#%d", e.Number)
	}
	if did != "" {
		p.fact("Result", "%s", task.Literally(excerpt.Line(did, 300)))
	}
	p.put(ctx)
}

// watchPage is the page of a Watch after a poll, which may have failed.
func watchPage(ctx workflow.Context, in signals.WatchInput, w activities.ForgePoll, failed error) {
	var p page
	now := workflow.Now(ctx)
	if failed != nil {
		p.title("failing", in.Repository)
		p.fact("Why", "%s", task.Literally(excerpt.Line(message(failed), 300)))
		p.fact("Next human action", "give the token access to the repository, or take it out of the worker's settings")
	} else {
		p.title("polling", in.Repository)
		p.fact("Next human action", "none")
		p.fact("New events", "%d", w.Events)
	}
	p.fact("Last poll", "%s", minute(now))
	p.fact("Next poll", "%s", minute(now.Add(w.Every)))
	p.put(ctx)
}

// undoPage is the page of an Undo, which has not ended while out is nil.
func undoPage(ctx workflow.Context, in signals.UndoInput, out *signals.Undone) {
	var p page
	state := "at work"
	if out != nil {
		state = "done"
	}
	p.title(state, "")
	p.fact("Next human action", "none")
	p.fact("Task", "%s", task.Literally(in.TaskID))
	if out != nil {
		p.fact("Closed the pull request", "%t", out.Closed)
		p.fact("Deleted", "%s", task.Literally(cmp.Or(strings.Join(out.Deleted, ", "), "nothing")))
	}
	if out != nil && out.Moved != "" {
		p.fact("Left", "the branch, because somebody has moved it to %s", short(out.Moved))
	}
	p.put(ctx)
}
