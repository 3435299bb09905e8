package cli

import (
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// standInFollower follows a pull request that is merged at once.
func standInFollower(workflow.Context) (signals.Status, error) {
	return signals.Status{Phase: task.Ended, Outcome: task.PullMerged}, nil
}

// followed has the stand-in's pull request followed to its end.
func (s *standIn) followed(ctx workflow.Context) error {
	r, err := task.ParseRepository(s.status.Repository)
	if err != nil {
		return err
	}
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowID: signals.PullRequestID("", r.Owner, r.Name, s.status.PullRequest.Number)})
	return workflow.ExecuteChildWorkflow(ctx, signals.PullRequestFlow).Get(ctx, nil)
}
