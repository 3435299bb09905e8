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

// All activity options are in this file, named by their purpose.

// assignment is the host that has the task, and with it the options of all activities that run there.
type assignment struct{ activities.Assignment }

// gone are the failures after which the host itself is in question. They come back to the workflow at once,
// because a retry by the server would wait on the queue of a dead host for ever.
var gone = []string{"TemporalTimeout:Heartbeat", string(fault.Stopping)}

// retries is the policy for infrastructure faults. They never count as errors of the work.
func retries(attempts int32) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		MaximumAttempts: attempts, NonRetryableErrorTypes: gone}
}

// toAnyHost is for the queue that every host polls. It waits without limit: a task without a host is parked, not failed.
func toAnyHost(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.QueueHosts, StartToCloseTimeout: 10 * time.Second, Summary: summary,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second},
	})
}

// longestFetch is how long the first fetch of a repository may take.
const longestFetch = 12 * time.Hour

// probe is for asking the host whether it is alive.
func (as *assignment) probe(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.HostControlQueue(as.Host), Summary: "is the host alive?",
		ScheduleToStartTimeout: as.Probe, StartToCloseTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 3, InitialInterval: time.Second},
	})
}

// examination is for asking a host, whether or not it lives. Somebody waits for the answer, so nothing is tried again.
func examination(ctx workflow.Context, host string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.HostControlQueue(host), Summary: "what does host " + host + " lack?",
		ScheduleToStartTimeout: hostAnswersWithin, StartToCloseTimeout: examinedWithin, HeartbeatTimeout: 20 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// short is for git on the task's host.
func (as *assignment) short(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.HostControlQueue(as.Host), Summary: summary, WaitForCancellation: true,
		ScheduleToStartTimeout: as.Probe, StartToCloseTimeout: 10 * time.Minute, HeartbeatTimeout: as.Heartbeat,
		RetryPolicy: retries(8),
	})
}

// fetch is for making the workspace. The first task of a repository fetches its whole history, which may take hours, and an attempt that is cut off
// begins it again. A fetch that stands still is ended by git.
func (as *assignment) fetch(ctx workflow.Context) workflow.Context {
	return workflow.WithStartToCloseTimeout(as.short(ctx, "make the workspace"), longestFetch)
}

// long is for agents and commands on the task's host. A host starts such an activity at once and has it wait for a slot while it sends
// heartbeats, so one that is not started in time means that the host may be gone, however many wait there.
func (as *assignment) long(ctx workflow.Context, summary string, wall time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.HostQueue(as.Host), Summary: summary, WaitForCancellation: true,
		ScheduleToStartTimeout: as.Probe, StartToCloseTimeout: activities.LongestWait + wall + activities.Overtime,
		HeartbeatTimeout: as.Heartbeat,
		RetryPolicy:      retries(6),
	})
}

// act is for what a session of Longshift's own agent does on the task's host. It may have to wait for a slot, and sends heartbeats meanwhile.
func (as *assignment) act(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.HostActsQueue(as.Host), Summary: summary, WaitForCancellation: true,
		ScheduleToStartTimeout: as.Probe, StartToCloseTimeout: activities.LongestWait + activities.LongestAct, HeartbeatTimeout: as.Heartbeat,
		RetryPolicy: retries(6),
	})
}

// control is for forges, on the workers that hold their tokens. A forge's own Retry-After arrives as a retry delay.
func (as *assignment) control(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: summary, StartToCloseTimeout: 5 * time.Minute, HeartbeatTimeout: max(as.Heartbeat, 2*time.Second),
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute,
			MaximumAttempts: 20},
	})
}

// opening is for opening a pull request: the result counts also when the task is stopped meanwhile.
func (as *assignment) opening(ctx workflow.Context) workflow.Context {
	return workflow.WithWaitForCancellation(as.control(ctx, "open the pull request"), true)
}

// courtesy is for activities that nothing waits for.
func courtesy(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: summary, StartToCloseTimeout: time.Minute, HeartbeatTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: 5},
	})
}

// forgeRequest is for carrying out what somebody asks for at a forge, which may not answer for a while.
func forgeRequest(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: summary, StartToCloseTimeout: 2 * time.Minute, HeartbeatTimeout: 10 * time.Second,
		ScheduleToCloseTimeout: 24 * time.Hour,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute},
	})
}

// forgePoll is for asking a forge for news, again and again until it answers.
func forgePoll(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: summary, StartToCloseTimeout: 5 * time.Minute, HeartbeatTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 5 * time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Minute},
	})
}

// sourcePoll is for looking through a source for new work. A schedule starts the next poll.
func sourcePoll(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: summary, StartToCloseTimeout: 10 * time.Minute, HeartbeatTimeout: 30 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: 4},
	})
}

// noticeShown is for writing or editing a message. It is tried for as long as the message is of use.
func noticeShown(ctx workflow.Context, summary string, life time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: summary, StartToCloseTimeout: time.Minute, ScheduleToCloseTimeout: life,
		HeartbeatTimeout: 5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
			MaximumAttempts: 1 << 20}, // time ends it, not a count
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
