package workflows

import (
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
)

// Register registers every workflow under the name that clients use.
func Register(r worker.WorkflowRegistry) {
	for name, w := range map[string]any{
		signals.CodingTask: CodingTask, signals.PullRequestFlow: PullRequest, signals.Conversation: Conversation,
		signals.Directory: Directory, signals.Arrival: Arrival, signals.Watch: Watch,
		signals.Limiter: Limiter, signals.IssueIntake: IssueIntake, signals.Undo: Undo, signals.Checkup: Checkup,
		signals.Attachment: Attachment, signals.AgentSession: AgentSession, signals.Accounts: Accounts,
	} {
		r.RegisterWorkflowWithOptions(w, workflow.RegisterOptions{Name: name})
	}
}
