package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/task"
)

// plan has a planner, who can't write, make a plan: the first one, one after an edit, or one after a review.
func (t *pipeline) plan(ctx workflow.Context) error {
	t.enter(ctx, task.Planning)
	res, err := t.converse(ctx, task.Planner, nil)
	if err != nil {
		return err
	}
	t.edit = nil
	p := *res.Plan
	p.Revision = 1
	if t.status.Plan != nil {
		p = task.Merge(*t.status.Plan, p)
	}
	t.status.Plan = &p
	if t.status.Iteration == 1 {
		t.title = p.Summary
	}
	switch p.Verdict {
	case task.VerdictAlreadyDone: // after a review, the work of earlier rounds stands and the next review decides
		if t.status.Head == t.status.BaseCommit {
			return t.nothingToDo("%s", p.Evidence)
		}
	case task.VerdictDeclined:
		return end(task.Declined, "%s", p.Evidence)
	}
	_, _, pending := p.Counts()
	t.say(ctx, "plan", "revision %d: %s (%d to do)", p.Revision, firstLine(p.Summary), pending)
	return nil
}
