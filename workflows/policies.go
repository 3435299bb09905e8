package workflows

import (
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Every set of activity options stands here, named by what it is for.

// gone are the failures after which the host itself is in question. They come back to the workflow at once,
// because a retry by the server would wait on the queue of a dead host for ever.
var gone = []string{"TemporalTimeout:Heartbeat", string(fault.Stopping)}

// retries is the rule for faults of the surroundings. They never count as errors of the work.
func retries(attempts int32) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		MaximumAttempts: attempts, NonRetryableErrorTypes: gone}
}

// toAnyHost asks every host. It waits as long as it takes: a task without a host is parked, not failed.
func toAnyHost(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.QueueHosts, StartToCloseTimeout: 10 * time.Second, Summary: summary,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second},
	})
}

// probe asks one host whether it lives.
func (t *pipeline) probeOptions(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.HostControlQueue(t.taken.Host), Summary: "is the host alive?",
		ScheduleToStartTimeout: t.taken.Probe, StartToCloseTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 3, InitialInterval: time.Second},
	})
}

// short is for git on the task's host.
func (t *pipeline) short(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.HostControlQueue(t.taken.Host), Summary: summary, WaitForCancellation: true,
		ScheduleToStartTimeout: t.taken.Probe, StartToCloseTimeout: 10 * time.Minute, HeartbeatTimeout: t.taken.Heartbeat,
		RetryPolicy: retries(8),
	})
}

// long is for agents and commands on the task's host. A host takes such a step at once and has it wait for a slot, beating all the time:
// one that is not taken means that the host is in question, however many steps wait there.
func (t *pipeline) long(ctx workflow.Context, summary string, wall time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.HostQueue(t.taken.Host), Summary: summary, WaitForCancellation: true,
		ScheduleToStartTimeout: t.taken.Probe, StartToCloseTimeout: activities.LongestWait + wall + activities.Overtime, HeartbeatTimeout: t.taken.Heartbeat,
		RetryPolicy: retries(6),
	})
}

// control is for forges, on the workers that hold their tokens. The forge's own waits come as retry delays.
func (t *pipeline) control(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: summary, StartToCloseTimeout: 5 * time.Minute, HeartbeatTimeout: max(t.taken.Heartbeat, 2*time.Second),
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute, MaximumAttempts: 20},
	})
}

// courtesy is for what nobody has to wait for.
func courtesy(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: summary, StartToCloseTimeout: time.Minute, HeartbeatTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: 5},
	})
}

// hostInQuestion tells whether an activity failed in a way that leaves open whether its host still lives.
func hostInQuestion(err error) (inQuestion, neverStarted bool) {
	var timeout *temporal.TimeoutError
	if asError(err, &timeout) {
		switch timeout.TimeoutType() {
		case enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START:
			return true, true
		case enumspb.TIMEOUT_TYPE_HEARTBEAT:
			return true, false
		}
	}
	return kindOf(err) == fault.Stopping, false
}
