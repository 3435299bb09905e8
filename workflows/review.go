package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// reviewsAll is the change since which a commit that failed is made up before the review, which is shown what is committed.
const reviewsAll = "reviews-all"

// review has a reviewer, who can't write, judge the change and the result of the check. The verdict is in the status.
func (t *pipeline) review(ctx workflow.Context) error {
	if t.commits.last.failed != "" && workflow.GetVersion(ctx, reviewsAll, workflow.DefaultVersion, 1) >= 1 {
		if err := t.commits.commitRest(ctx); err != nil {
			return err
		}
	}
	if t.checks.missing() {
		t.journal.enter(ctx, task.Checking)
		if err := t.checks.check(ctx); err != nil {
			return err
		}
	}
	t.journal.enter(ctx, task.Reviewing)
	res, err := t.sessions.converse(ctx, task.Reviewer, brief{refused: t.commits.last.refused})
	if err != nil {
		return err
	}
	t.status.Review = res.Review
	kind, verdict := task.RequestChanges, "changes requested"
	if res.Review.Approved {
		kind, verdict = task.Approved, "approved"
	}
	t.journal.remember(ctx, string(kind), res.Review.Text)
	t.journal.say(ctx, "review", "%s: %s", verdict, firstLine(res.Review.Text))
	t.journal.show(ctx, signals.Notice{})
	return nil
}
