package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// commit commits what the session left and pushes the checkpoint. A commit that fails stops nothing.
func (t *pipeline) commit(ctx workflow.Context, r task.Report) error {
	message := r.Text
	if message == "" {
		message = t.status.Task
	}
	var out activities.Committed
	err := t.insist(ctx, func() error {
		return t.onHost(ctx, step{
			options: func(ctx workflow.Context) workflow.Context {
				return t.short(ctx, "commit: "+firstLine(message))
			},
			call: func(ctx workflow.Context) error {
				in := activities.CommitInput{Ref: t.ref(), Session: t.sessions, Message: message, Specs: t.settings.Specs, BaseCommit: t.status.BaseCommit, Next: t.ahead(nil)}
				return workflow.ExecuteActivity(ctx, host.CommitWork, in).Get(ctx, &out)
			},
		})
	})
	if err != nil {
		return err
	}
	t.uncommitted, t.refused, t.leak = out.Failed, "", ""
	if !out.Leak {
		t.findings = out.Sensitive
	}
	t.unchecked = t.unchecked || t.uncommitted != "" || out.Created
	if out.Leak {
		t.leak = out.Failed
	} else {
		t.leaks = 0
		if out.Refused {
			t.refused = out.Failed
		}
	}
	if t.uncommitted != "" {
		t.say(ctx, "error", "commit failed: %s", firstLine(out.Failed))
		t.remember(ctx, "error", "the commit failed: "+out.Failed)
		return nil
	}
	if t.refused = refusedWork(t.findings); t.refused != "" {
		t.say(ctx, "error", "the work is refused: %s", firstLine(t.refused))
		t.remember(ctx, "error", "the work is refused: "+t.refused)
	}
	t.notice(ctx, out.Notes)
	t.status.Head, t.status.Files, t.status.Added, t.status.Deleted = out.Commit, out.Files, out.Added, out.Deleted
	if out.Created {
		t.status.Commits = append(t.status.Commits, signals.Commit{ID: out.Commit, Subject: firstLine(message)})
		t.say(ctx, "commit", "%s %s", short(out.Commit), firstLine(message))
	}
	return nil
}

// notice says, once each, what people and the next sessions should know of the workspace: it stays so at the next commit, too.
func (t *pipeline) notice(ctx workflow.Context, notes []string) {
	for _, n := range notes {
		if !slices.ContainsFunc(t.progress, func(e task.Entry) bool { return e.Text == n }) {
			t.say(ctx, "note", "%s", n)
			t.remember(ctx, string(task.Note), n)
		}
	}
}

// leaked counts a deliverable whose work holds a secret as an error in a row: the next session is told to take it out. At the
// limit a person is asked.
func (t *pipeline) leaked(ctx workflow.Context, d task.Deliverable) error {
	if t.leaks++; t.leaks <= t.settings.Errors {
		return nil
	}
	t.leaks = 0
	return t.suspend(ctx, signals.ReasonSecret, "%s: %s", d.ID, t.leak)
}
