package workflows

import (
	"log/slog"
	"time"

	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
)

// Patient lets the coroutines of a workflow wait long for a processor, which other tests keep busy.
var Patient = worker.Options{DeadlockDetectionTimeout: time.Minute}

// NewEnv makes an environment for workflows that is silent and patient.
func NewEnv() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(tlog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(Patient)
	env.SetTestTimeout(time.Minute) // for the next event
	return env
}
