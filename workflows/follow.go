package workflows

import (
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// follow starts the workflow that follows the pull request, and hands over the messages that no session was told. It tells whether one runs.
func (pu *publisher) follow(ctx workflow.Context, untold []signals.TellRequest) bool {
	s := pu.status
	if pu.followed == nil || !pu.settings.PullRequest.Follow {
		return false
	}
	in := signals.PullRequestInput{
		Input: pu.def.input, Settings: *pu.settings, Task: s.WorkflowID, Run: pu.journal.notices.run, TaskID: s.TaskID,
		Fence: s.Fence, PullRequest: *s.PullRequest, Branch: s.Branch, Base: s.Base, Head: s.Head, Plan: s.Plan, Budget: pu.budget.handover(),
		Conversation: pu.journal.notices.shown(), Sessions: pu.briefing.numbered, Limiter: pu.admissions.limiter(),
		Limited: pu.admissions.limits.Limited, Shared: pu.admissions.limits.Shared, Fork: pu.def.fork, CheckRuns: pu.checkRuns.n,
		BaseCheck: s.BaseCheck, Tells: untold, Answers: pu.questions.lasting(),
	}
	in.Input.Config = nil // it is in the settings
	in.Input.Images = nil // they are kept until the task ends
	options := workflow.ChildWorkflowOptions{
		WorkflowID: signals.PullRequestID(pu.followed.Host, pu.followed.Owner, pu.followed.Name, in.Number), TaskQueue: signals.Queue,
		WorkflowTaskTimeout: signals.WorkflowTaskTimeout, ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
		StaticSummary: "follows " + task.Literally(excerpt.Clip(s.PullRequest.URL, 180)),
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(excerpt.Clip(s.Repository, 200)),
			temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(task.Following)),
		),
	}
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), signals.PullRequestFlow, in)
	err := child.GetChildWorkflowExecution().Get(ctx, nil)
	if err == nil || temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return true
	}
	s.Warnings = append(s.Warnings, "nobody follows the pull request: "+message(err))
	return false
}
