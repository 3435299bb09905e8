package workflows

import (
	"fmt"
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// publish pushes the branch and opens the pull request, as a draft when the check fails. Work that changed nothing needs none.
func (t *pipeline) publish(ctx workflow.Context) error {
	if t.uncommitted == "" && (t.status.Head == t.status.BaseCommit || t.status.Files == 0) {
		return t.nothingToDo("nothing had to change; the review says: %s", t.status.Review.Text)
	}
	t.enter(ctx, task.Publish)
	if err := t.commitRest(ctx); err != nil {
		return err
	}
	head, err := t.push(ctx)
	if err != nil {
		return err
	}
	t.status.Head = head
	in := activities.PullRequestInput{
		Ref: t.ref(), Repository: t.repo, Fork: t.fork, Head: t.status.Branch, HeadCommit: head, Base: t.status.Base,
		Draft: t.settings.PullRequest.Draft || !t.sound(), Labels: t.settings.PullRequest.Labels, Reviewers: t.settings.PullRequest.Reviewers,
		Summary: t.summary(),
	}
	var pr forge.PullRequest
	err = t.insist(ctx, func() error {
		return workflow.ExecuteActivity(t.control(ctx, "open the pull request"), desk.OpenPullRequest, in).Get(ctx, &pr)
	})
	if err != nil {
		return err
	}
	t.status.PullRequest = &signals.PullRequest{Number: pr.Number, URL: pr.URL}
	t.status.Warnings = append(t.status.Warnings, pr.Warnings...)
	if pr.Owner != "" {
		t.followed = &task.Repository{Host: pr.Host, Owner: pr.Owner, Name: pr.Name}
	}
	t.say(ctx, "pull_request", "%s", pr.URL)
	if !t.sound() {
		return end(task.ChecksFailed, "the pull request is a draft: %s", t.red())
	}
	return nil
}

// nothingToDo ends a task that changes nothing. While the check fails that is no success, whoever says so.
func (t *pipeline) nothingToDo(format string, args ...any) error {
	if !t.sound() {
		return end(task.ChecksFailed, "nothing was changed, and %s\n%s", t.red(), fmt.Sprintf(format, args...))
	}
	return end(task.AlreadyDone, format, args...)
}

// red says how the check fails.
func (t *pipeline) red() string {
	c := t.status.Check
	text := fmt.Sprintf("the check %s fails with exit code %d%s", firstLine(c.Command), c.ExitCode, named(c.Failing))
	if b := t.status.BaseCheck; b != nil && !b.Passed() {
		text += "; it failed on the base, too" + named(b.Failing)
	}
	return text
}

// commitRest commits what the last commit could not, parking the task while it still can't.
func (t *pipeline) commitRest(ctx workflow.Context) error {
	for t.uncommitted != "" {
		if err := t.commit(ctx, task.Report{Text: t.status.Plan.Summary}); err != nil {
			return err
		}
		if t.uncommitted != "" {
			why, detail := signals.ReasonInfra, "the last commit failed: "+firstLine(t.uncommitted)
			if t.leak != "" {
				why, detail = signals.ReasonSecret, t.leak
			}
			if err := t.suspend(ctx, why, "%s; the work is in the workspace on host %s", detail, t.taken.Host); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *pipeline) push(ctx workflow.Context) (string, error) {
	var head string
	in := activities.PushInput{BaseRef: t.status.BaseCommit, Reviewed: t.status.Head}
	if t.settings.Commits == "single" {
		in.Squash = t.status.Plan.Summary
	}
	err := t.cleared(ctx, func(allowed []string) error {
		in.Allowed = allowed
		return t.insist(ctx, func() error { return t.pushBranch(ctx, &in, &head) })
	})
	return head, err
}

// pushBranch pushes what holds the reviewed head. A person who has to take a secret out of its commits makes others of them.
func (t *pipeline) pushBranch(ctx workflow.Context, in *activities.PushInput, head *string) error {
	err := t.onHost(ctx, step{
		options: func(ctx workflow.Context) workflow.Context {
			return t.short(ctx, "push "+t.status.Branch)
		},
		call: func(ctx workflow.Context) error {
			in.Ref = t.ref()
			return workflow.ExecuteActivity(ctx, host.PushBranch, *in).Get(ctx, head)
		},
	})
	if kindOf(err) == fault.Leak {
		in.Reviewed = ""
	}
	return err
}

// clean removes the workspace of a task that ended well. Of any other it keeps workspace and checkpoint, for people to look at.
func (t *pipeline) clean(ctx workflow.Context, o task.Outcome) {
	if t.taken.Host == "" || t.status.Branch == "" || !o.Good() && !t.published(o) && t.worthKeeping() || o == task.Failed || o == task.Cancelled {
		return
	}
	t.enter(ctx, task.Cleaning)
	// One try on the host that has it: what stays behind costs disk, not correctness.
	err := workflow.ExecuteActivity(t.short(ctx, "remove the workspace"), host.CleanUp, activities.CleanInput{Ref: t.ref()}).Get(ctx, nil)
	if err != nil {
		t.status.Warnings = append(t.status.Warnings, "the workspace could not be removed: "+message(err))
	}
}

// worthKeeping tells whether somebody has worked in the workspace.
func (t *pipeline) worthKeeping() bool {
	return slices.ContainsFunc(t.status.Sessions, func(s signals.Session) bool { return s.Role == task.Implementer })
}
