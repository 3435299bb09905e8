package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Undo closes the pull request of an ended task, and then deletes what the task has left on its remote. It deletes nothing when the pull
// request is merged or not the task's own.
func Undo(ctx workflow.Context, in signals.UndoInput) (signals.Undone, error) {
	var out signals.Undone
	repo, err := task.ParseRepository(in.Repository)
	if err != nil {
		return out, badInput(err)
	}
	undoPage(ctx, in, nil)
	host := &assignment{}
	if in.PullRequest > 0 {
		closing := activities.CloseInput{Repository: repo, Number: in.PullRequest, TaskID: in.TaskID}
		err := workflow.ExecuteActivity(host.control(ctx, "close the pull request"), pulls.ClosePullRequest, closing).Get(ctx, &out.Closed)
		if err != nil {
			return out, err
		}
	}
	if in.Fork {
		var fork task.Repository // decoded into repo, it would keep the address of that one
		wanted := activities.ForkInput{Repository: repo, Existing: true}
		if err := workflow.ExecuteActivity(host.control(ctx, "find the fork"), pulls.ForkRepository, wanted).Get(ctx, &fork); err != nil {
			return out, err
		}
		if fork.Text == "" { // it was deleted, with all that the task had there, or has another name
			out.NoFork = true
			undoPage(ctx, in, &out)
			return out, nil
		}
		repo = fork
	}
	deleted, err := deleteRefs(ctx, host, activities.DeleteRefsInput{TaskID: in.TaskID, Repository: repo, Branch: in.Branch, Heads: in.Heads})
	out.Deleted, out.Moved = deleted.Refs, deleted.Moved
	if err == nil {
		undoPage(ctx, in, &out)
	}
	return out, err
}

// deleteRefs has any host delete the refs, and another one when that host is gone.
func deleteRefs(ctx workflow.Context, host *assignment, in activities.DeleteRefsInput) (out activities.DeletedRefs, err error) {
	for range mostReassignments {
		if err = workflow.ExecuteActivity(toAnyHost(ctx, "who deletes the refs?"), assigner.AssignTask).Get(ctx, &host.Assignment); err != nil {
			return out, err
		}
		err = workflow.ExecuteActivity(host.short(ctx, "delete the branch and the refs"), cleaner.DeleteRefs, in).Get(ctx, &out)
		if inQuestion, _ := hostInQuestion(err); !inQuestion {
			return out, err
		}
	}
	return out, err
}
