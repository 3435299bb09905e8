package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// CloseInput names the pull request of a task.
type CloseInput struct {
	Repository task.Repository `json:"repository"`
	Number     int             `json:"number"`
	TaskID     string          `json:"taskId"`
}

// ClosePullRequest closes the pull request of a task without merging it, wakes its follower, and tells whether it was open.
func (p *PullRequests) ClosePullRequest(ctx context.Context, in CloseInput) (wasOpen bool, err error) {
	f, err := p.forge(ctx, in.Repository)
	if err != nil {
		return false, err
	}
	closer, ok := f.(forge.Closer)
	if !ok {
		return false, fault.New(fault.Input, "repository %s is on a forge where pull requests can't be closed", in.Repository.Text).
			WithHint("close it yourself")
	}
	found, err := closer.Close(ctx, in.Repository, in.Number, in.TaskID)
	if err != nil {
		return false, fmt.Errorf("close the pull request: %w", err)
	}
	p.wakeFollower(ctx, in)
	return found == forge.Open, nil
}

// wakeFollower has the follower of a pull request look at it now, so that a round in progress ends. One that can't be woken sees it later by itself.
func (p *PullRequests) wakeFollower(ctx context.Context, in CloseInput) {
	r := in.Repository
	if r.Owner == "" { // in a folder nobody follows
		return
	}
	wake := p.wake
	if wake == nil {
		wake = wakeWorkflow
	}
	err := wake(ctx, signals.PullRequestID(cmp.Or(r.Host, p.host), r.Owner, r.Name, in.Number), "closed by undo")
	var gone *serviceerror.NotFound
	if err != nil && !errors.As(err, &gone) {
		activity.GetLogger(ctx).Warn("The follower of a closed pull request was not woken", "number", in.Number, "error", err)
	}
}

func wakeWorkflow(ctx context.Context, id, why string) error {
	return activity.GetClient(ctx).SignalWorkflow(ctx, id, "", signals.Changed, signals.ChangedRequest{What: why, Now: true})
}

// DeleteRefsInput names what an ended task may have left on its remote.
type DeleteRefsInput struct {
	TaskID     string          `json:"taskId"`
	Repository task.Repository `json:"repository"` // of the task's branch and refs
	Branch     string          `json:"branch,omitempty"`
	Heads      []string        `json:"heads,omitempty"`
}

// DeletedRefs is what DeleteRefs has deleted.
type DeletedRefs struct {
	Refs  []string `json:"refs,omitempty"`
	Moved string   `json:"moved,omitempty"` // commit of the branch, when it stays because the commit is not the task's
}

// DeleteRefs deletes the branch, the checkpoint and the fence of an ended task on the remote. Any host can do that: it needs no workspace.
func (c *Cleaner) DeleteRefs(ctx context.Context, in DeleteRefsInput) (DeletedRefs, error) {
	out, err := c.workspaces.DeleteRefs(ctx, workspace.Leavings(in))
	return DeletedRefs(out), err
}
