package workflows_test

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/workflows"
)

// A poll goes on where the one before has stopped.
func TestPollGoesOn(t *testing.T) {
	t.Parallel()
	env := workflows.NewEnv()
	env.RegisterWorkflow(workflows.IssueIntake)
	var asked activities.PollSourceInput
	env.RegisterActivityWithOptions(func(_ context.Context, in activities.PollSourceInput) (activities.Found, error) {
		asked = in
		return activities.Found{}, nil
	}, activity.RegisterOptions{Name: "PollSource"})
	before := signals.PollResult{At: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Passed: signals.Passed{Key: "50", At: time.Unix(7, 0)}, Quiet: 2, Refused: map[string]signals.Refusal{"3": {Why: "no"}}}
	env.SetLastCompletionResult(before)
	env.ExecuteWorkflow(workflows.IssueIntake, signals.IntakeInput{Name: "calc", Source: "github", Repository: "acme/web"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if asked.Passed.Key != "50" || !asked.Passed.At.Equal(before.Passed.At) || asked.Quiet != 2 || len(asked.Refused) != 1 {
		t.Errorf("asked %+v", asked)
	}
}
