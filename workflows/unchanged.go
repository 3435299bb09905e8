package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/task"
)

// unchanged is the change since which a task that has changed no file records what the deliverables of its specification have come to, also
// when its planner only drops some, and ends as blocked where one of them is.
const unchanged = "unchanged"

func recordsUnchanged(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, unchanged, workflow.DefaultVersion, 1) >= 1
}

// publishUnchanged ends a task that has changed no file. What that says of a specification's deliverables is a change of the status file.
func (pu *publisher) publishUnchanged(ctx workflow.Context) error {
	p := pu.status.Plan
	nothing := func() error {
		if _, blocked, _ := p.Counts(); blocked > 0 && recordsUnchanged(ctx) {
			return end(task.AllBlocked, "nothing was changed, and what is left is blocked%s", blockers(p))
		}
		return pu.checks.nothingToDo("nothing had to change; the review says: %s", pu.status.Review.Text)
	}
	if len(p.Deprecated) > 0 || len(pu.def.input.Spec) > 0 && recordsUnchanged(ctx) {
		return pu.publishStatus(ctx, pu.record.done, nothing)
	}
	return nothing()
}

// publishStatus has the status file written, and opens a pull request for it when it has changed. same ends the task when it has not.
func (pu *publisher) publishStatus(ctx workflow.Context, write func(workflow.Context) error, same func() error) error {
	pu.journal.enter(ctx, task.Publish)
	head := pu.status.Head
	if err := write(ctx); err != nil {
		return err
	}
	if pu.status.Head == head {
		return same()
	}
	pu.status.Files = 1
	return pu.open(ctx)
}
