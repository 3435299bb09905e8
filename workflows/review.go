package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// reviewsAll is the change since which no work is approved that no commit has: reviewers are shown what is committed.
const reviewsAll = "reviews-all"

// review has a reviewer judge all of the work. A commit that failed is made up first. One that is refused is the reviewer's business,
// because a session can mend it; a person is asked when it is approved nonetheless, and what is committed then is reviewed too.
func (t *pipeline) review(ctx workflow.Context) error {
	uncommitted := t.commits.last.failed != "" && workflow.GetVersion(ctx, reviewsAll, workflow.DefaultVersion, 1) >= 1
	if uncommitted {
		if err := t.commits.commitRest(ctx, false); err != nil {
			return err
		}
	}
	err := t.judge(ctx)
	if err != nil || !uncommitted || t.commits.last.failed == "" || !t.status.Review.Approved {
		return err
	}
	if err := t.commits.commitRest(ctx, true); err != nil {
		return err
	}
	return t.judge(ctx)
}

// judge has a reviewer, who can't write, judge the change and the result of the check. The verdict is in the status.
func (t *pipeline) judge(ctx workflow.Context) error {
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
