package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// review has a reviewer, who can't write, judge the change and what the check says of it. The verdict stands in the status.
func (t *pipeline) review(ctx workflow.Context) error {
	if t.status.Check == nil || t.unchecked {
		t.enter(ctx, task.Checking)
		if err := t.check(ctx); err != nil {
			return err
		}
	}
	t.enter(ctx, task.Reviewing)
	res, err := t.converse(ctx, task.Reviewer, nil)
	if err != nil {
		return err
	}
	t.status.Review = res.Review
	if res.Review.Approved {
		t.remember(ctx, string(task.Approved), res.Review.Text)
		t.say(ctx, "review", "approved: %s", firstLine(res.Review.Text))
		t.show(ctx, signals.Notice{})
		return nil
	}
	t.remember(ctx, string(task.RequestChanges), res.Review.Text)
	t.say(ctx, "review", "changes requested: %s", firstLine(res.Review.Text))
	t.show(ctx, signals.Notice{})
	return nil
}
