package tasks

import (
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/longshift/longshift/signals"
)

// A step that nobody takes, or that waits for a slot, is named with what it waits for, and one that is tried again with what it failed for;
// one that runs or is quite new is not.
func TestStepWaits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const scheduled, started = enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, enumspb.PENDING_ACTIVITY_STATE_STARTED
	for _, c := range []struct {
		step    string
		state   enumspb.PendingActivityState
		age     time.Duration
		attempt int32
		beat    any
		want    string
		failed  string
	}{
		{"RunAgent", started, time.Second, 1, signals.Heartbeat{Waiting: true}, "for a free slot on its host, where others work (LONGSHIFT_SLOTS sets how many)", ""},
		{"RunChecks", started, time.Minute, 2, signals.Heartbeat{Waiting: true}, "for a free slot on its host, where others work (LONGSHIFT_SLOTS sets how many)", ""},
		{"RunAgent", scheduled, time.Minute, 2, signals.Heartbeat{Waiting: true}, "", ""},
		{"RunAgent", started, time.Minute, 1, signals.Heartbeat{Session: "a"}, "", ""},
		{"PollSource", started, time.Minute, 1, "a word", "", ""},
		{"RunAgent", scheduled, time.Minute, 1, nil, "for its host, which has not taken the step yet; see `longshift doctor`", ""},
		{"AssignTask", scheduled, time.Minute, 1, nil, "for a host: none has answered yet; start a worker with `longshift dev` or longshift-worker", ""},
		{"RunAgent", started, time.Minute, 1, nil, "", ""},
		{"RunAgent", scheduled, time.Second, 1, nil, "", ""},
		{"RunAgent", scheduled, time.Minute, 2, nil, "", ""},
		{"CheckForge", scheduled, time.Minute, 1, nil, "", ""},
		{"PushCheckpoint", scheduled, time.Second, 2, nil, "for a step that is tried again: push checkpoint: it can't be reached", "push checkpoint:\nit can't \abe reached"},
		{"PushCheckpoint", started, time.Second, 3, nil, "for a step that is tried again: it can't be reached", "it can't be reached"},
	} {
		var said *commonpb.Payloads
		if c.beat != nil {
			var err error
			if said, err = converter.GetDefaultDataConverter().ToPayloads(c.beat); err != nil {
				t.Fatal(err)
			}
		}
		d := &workflowservice.DescribeWorkflowExecutionResponse{PendingActivities: []*workflowpb.PendingActivityInfo{{
			ActivityType: &commonpb.ActivityType{Name: c.step}, State: c.state, Attempt: c.attempt, HeartbeatDetails: said,
			ScheduledTime: timestamppb.New(now.Add(-c.age))}}}
		if c.failed != "" {
			d.PendingActivities[0].LastFailure = &failurepb.Failure{Message: c.failed}
		}
		d.PendingWorkflowTask = &workflowpb.PendingWorkflowTaskInfo{Attempt: 2}
		if got := stepWaits(d, now); got != c.want {
			t.Errorf("%s, %s old, attempt %d: %q, want %q", c.step, c.age, c.attempt, got, c.want)
		}
		d.PendingWorkflowTask.Attempt = 3
		if got := stepWaits(d, now); !strings.HasPrefix(got, "for a worker that can go on with the task: 3 tries have failed") {
			t.Errorf("when no worker can go on: %q", got)
		}
	}
}
