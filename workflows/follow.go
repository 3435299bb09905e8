package workflows

import (
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// follow starts what looks after the pull request from now on. It tells whether somebody does.
func (t *pipeline) follow(ctx workflow.Context) bool {
	s := &t.status
	if t.followed == nil || !t.settings.PullRequest.Follow {
		return false
	}
	in := signals.Follow{
		Input: t.input, Settings: t.settings, Task: s.WorkflowID, Run: t.talk.run, TaskID: s.TaskID, Fence: s.Fence, Number: s.PullRequest.Number,
		URL: s.PullRequest.URL, Branch: s.Branch, Base: s.Base, Head: s.Head, Plan: s.Plan, Usage: s.Usage, BudgetUSD: s.BudgetUSD,
		Worked: s.Worked, BudgetTime: s.BudgetTime, MaxCost: t.maxCost, MaxTime: t.maxTime, Talk: t.talk.id != "" && !t.talk.silent,
		Sessions: t.sessions, Gate: t.repositoryGate(), Limited: t.turns.known.Limited, Shared: t.turns.known.Shared, Fork: t.fork,
	}
	in.Input.Config = nil // it is in the settings
	options := workflow.ChildWorkflowOptions{
		WorkflowID: signals.PullRequestID(t.followed.Host, t.followed.Owner, t.followed.Name, in.Number), TaskQueue: signals.Queue,
		WorkflowTaskTimeout: signals.WorkflowTaskTimeout, ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
		StaticSummary: "looks after " + task.Literally(clip(s.PullRequest.URL, 180)),
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(clip(s.Repository, 200)),
			temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(task.Following)),
		),
	}
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), signals.PullRequestFlow, in)
	err := child.GetChildWorkflowExecution().Get(ctx, nil)
	if err == nil || temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return true
	}
	s.Warnings = append(s.Warnings, "nobody looks after the pull request: "+message(err))
	return false
}
