package cli

import (
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A step that nobody takes is named, with what it waits for; one that runs, is tried again or is quite new is not.
func TestStepWaits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		step    string
		state   enumspb.PendingActivityState
		age     time.Duration
		attempt int32
		want    string
	}{
		{"RunAgent", enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, time.Minute, 1, "for a free slot on its host (LONGSHIFT_SLOTS)"},
		{"TakeTask", enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, time.Minute, 1, "for a host: none has answered yet"},
		{"RunAgent", enumspb.PENDING_ACTIVITY_STATE_STARTED, time.Minute, 1, ""},
		{"RunAgent", enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, time.Second, 1, ""},
		{"RunAgent", enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, time.Minute, 2, ""},
		{"CheckForge", enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, time.Minute, 1, ""},
	} {
		d := &workflowservice.DescribeWorkflowExecutionResponse{PendingActivities: []*workflowpb.PendingActivityInfo{{
			ActivityType: &commonpb.ActivityType{Name: c.step}, State: c.state, Attempt: c.attempt, ScheduledTime: timestamppb.New(now.Add(-c.age))}}}
		if got := stepWaits(d, now); got != c.want {
			t.Errorf("%s, %s old, attempt %d: %q, want %q", c.step, c.age, c.attempt, got, c.want)
		}
	}
}
