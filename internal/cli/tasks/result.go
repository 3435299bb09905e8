package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// queryStatus asks the worker of a task, and waits for it a short while.
func queryStatus(ctx context.Context, c PollClient, id, run string) (*signals.Status, error) {
	call, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	value, err := c.QueryWorkflow(call, id, run, signals.QueryStatus)
	if err != nil {
		return nil, err
	}
	var status signals.Status
	if err := value.Get(&status); err != nil {
		return nil, err
	}
	return &status, nil
}

// newestBeat finds the heartbeat of the running session among the pending activities.
func newestBeat(d *workflowservice.DescribeWorkflowExecutionResponse) *signals.Heartbeat {
	var newest *signals.Heartbeat
	for _, a := range d.GetPendingActivities() {
		if beat := beatOf(a); beat.Session != "" && (newest == nil || beat.N > newest.N) {
			newest = &beat
		}
	}
	return newest
}

// beatOf returns the last heartbeat of an activity; the zero Beat when there is none of a session.
func beatOf(a *workflowpb.PendingActivityInfo) (beat signals.Heartbeat) {
	if err := converter.GetDefaultDataConverter().FromPayloads(a.GetHeartbeatDetails(), &beat); err != nil {
		return signals.Heartbeat{}
	}
	return beat
}

// untaken is how long a step may lie in its queue until it is said that it waits.
const untaken = 3 * time.Second

// mostTries is how often workers may fail to go on with a task before it is said. One that is killed fails once.
const mostTries = 3

// stepWaits says what a task waits for: no worker can go on with it, or the host of a step is full, or has not taken it yet, or there is
// none, or it has failed for what passes and is tried again.
func stepWaits(d *workflowservice.DescribeWorkflowExecutionResponse, now time.Time) string {
	if n := d.GetPendingWorkflowTask().GetAttempt(); n >= mostTries {
		return fmt.Sprintf("for a worker that can go on with the task: %d tries have failed, and the log of the worker says why. "+
			"One of an older release than that which has worked on the task can't; nothing is lost meanwhile", n)
	}
	for _, a := range d.GetPendingActivities() {
		if a.GetState() == enumspb.PENDING_ACTIVITY_STATE_STARTED && beatOf(a).Waiting {
			return "for a free slot on its host, where others work (LONGSHIFT_SLOTS sets how many)"
		}
		if why := a.GetLastFailure().GetMessage(); why != "" && a.GetAttempt() > 1 {
			return "for a step that is tried again: " + excerpt.Clip(term.OneLine(why), 300)
		}
		if a.GetState() != enumspb.PENDING_ACTIVITY_STATE_SCHEDULED || a.GetAttempt() > 1 || now.Sub(a.GetScheduledTime().AsTime()) < untaken {
			continue
		}
		switch a.GetActivityType().GetName() {
		case "AssignTask":
			return "for a host: none has answered yet; start a worker with `longshift dev` or longshift-worker"
		case "RunAgent", "OpenSession", "AskModel", "RunTools", "RunSetup", "RunChecks", "RunProof":
			return "for its host, which has not taken the step yet; see `longshift doctor`"
		}
	}
	return ""
}

// result returns the status that a closed task ended with, wherever it is: in its result, or in the details of the error.
// The error is a fault with the kind that the workflow gave it.
func result(ctx context.Context, run client.WorkflowRun) (*signals.Status, error) {
	var status signals.Status
	err := run.Get(ctx, &status)
	if err == nil {
		return &status, nil
	}
	var canceled *temporal.CanceledError
	if errors.As(err, &canceled) {
		if canceled.HasDetails() && canceled.Details(&status) == nil {
			return &status, nil
		}
		return nil, nil
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		var hint string
		if app.HasDetails() && app.Details(&hint, &status) == nil && status.WorkflowID != "" {
			return &status, refusal(app)
		}
		return nil, refusal(app)
	}
	var terminated *temporal.TerminatedError
	if errors.As(err, &terminated) {
		return nil, fault.New(fault.Work, "the task was terminated from outside")
	}
	return nil, err
}

// refusal is an error that the workflow made for people: its type is the fault's kind, its first detail the hint.
func refusal(app *temporal.ApplicationError) error {
	f := fault.New(fault.Kind(app.Type()), "%s", app.Message())
	var hint string
	if app.HasDetails() && app.Details(&hint) == nil && hint != "" {
		f = f.WithHint("%s", hint)
	}
	return f
}
