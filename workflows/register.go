package workflows

import (
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
)

// Register registers every workflow under the name that clients use.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(CodingTask, workflow.RegisterOptions{Name: signals.CodingTask})
}
