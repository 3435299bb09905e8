package workflows_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/mock"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/workflows"
)

// Each host answers for itself, in the order in which they were asked; one that can't has a finding that fails and says what to do.
func TestCheckup(t *testing.T) {
	for name, c := range map[string]struct {
		err          error
		detail, hint string
	}{
		"gone": {temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil), "does not answer: it took no work within 10s",
			"see that longshift-worker runs on that host"},
		"slow":   {temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_START_TO_CLOSE, nil), "did not finish its checks within 1m30s", "see the log"},
		"killed": {temporal.NewHeartbeatTimeoutError(), "stopped answering during its checks", "see the log"},
		"old":    {temporal.NewApplicationError("unknown", "ActivityNotRegisteredError"), "its release is older than this check", "install the release"},
		"sick":   {errors.New("no disk"), "its checks failed: ", "see the log"},
	} {
		t.Run(name, func(t *testing.T) {
			env := workflows.NewEnv()
			env.RegisterWorkflow(workflows.Checkup)
			good := []signals.HostFinding{{Check: "disk", State: signals.HostOK, Detail: "9 GiB free"}}
			env.RegisterActivityWithOptions(func(context.Context) ([]signals.HostFinding, error) { return nil, nil }, activity.RegisterOptions{Name: "Examine"})
			env.OnActivity("Examine", mock.Anything).Return(func(ctx context.Context) ([]signals.HostFinding, error) {
				if activity.GetInfo(ctx).TaskQueue == signals.HostControlQueue("bad") {
					return nil, c.err
				}
				return good, nil
			})
			env.ExecuteWorkflow(workflows.Checkup, signals.CheckupInput{Hosts: []string{"bad", "fine"}})
			var got signals.CheckedUp
			if err := env.GetWorkflowResult(&got); err != nil {
				t.Fatal(err)
			}
			if len(got.Hosts) != 2 || got.Hosts[0].Host != "bad" || got.Hosts[1].Host != "fine" || got.Hosts[1].Findings[0] != good[0] {
				t.Fatalf("got %+v", got)
			}
			f := got.Hosts[0].Findings[0]
			if f.State != signals.HostFail || !strings.HasPrefix(f.Detail, c.detail) || !strings.HasPrefix(f.Hint, c.hint) {
				t.Errorf("got %+v", f)
			}
		})
	}
}
