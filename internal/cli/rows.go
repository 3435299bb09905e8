package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// runningTasks finds the tasks that run, and what looks after their pull requests, newest first. Only built-in attributes are
// named: it works on any server.
const (
	allTasks     = "WorkflowType IN ('" + signals.CodingTask + "', '" + signals.PullRequestFlow + "') AND ExecutionStatus != 'ContinuedAsNew'"
	runningTasks = allTasks + " AND ExecutionStatus = 'Running'"
)

// row is a task as the server's visibility store knows it. No worker is asked.
type row struct {
	ID           string       `json:"id"`
	RunID        string       `json:"runId"`
	Repository   string       `json:"repository,omitempty"`
	Phase        task.Phase   `json:"phase,omitempty"`
	Outcome      task.Outcome `json:"outcome,omitempty"`
	NeedsHuman   bool         `json:"needsHuman,omitempty"`
	WaitsFor     signals.Wait `json:"waitsFor,omitempty"` // of a queued task
	WaitingUntil time.Time    `json:"waitingUntil,omitzero"`
	Agent        string       `json:"agent,omitempty"`
	Host         string       `json:"host,omitempty"`
	PullRequest  string       `json:"pullRequest,omitempty"`
	CostUSD      float64      `json:"costUsd"`
	Started      time.Time    `json:"started"`
	Ended        time.Time    `json:"ended,omitzero"`
}

// lister is what listing needs of the client.
type lister interface {
	ListWorkflow(ctx context.Context, request *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error)
}

// eachTask calls use for every task that the query finds, newest first, until it returns false. page is how many are
// fetched at a time, at most 1000.
func (p *program) eachTask(ctx context.Context, c lister, query string, page int, use func(row) bool) error {
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: int32(min(page, 1000))}
	for {
		call, cancel := answer(ctx)
		response, err := c.ListWorkflow(call, request)
		cancel()
		if err != nil {
			return p.explain(err, "")
		}
		for _, execution := range response.Executions {
			if !use(readRow(execution)) {
				return nil
			}
		}
		if request.NextPageToken = response.NextPageToken; len(request.NextPageToken) == 0 {
			return nil
		}
	}
}

// checkAttributes tells, when nothing was found, whether that is for want of our search attributes.
func (p *program) checkAttributes(ctx context.Context, c client.Client) error {
	missing, err := missingOn(ctx, c, p.namespace)
	if err != nil {
		return nil // a server that hides its attributes still lists tasks
	}
	if len(missing) > 0 {
		return missingAttributes()
	}
	return nil
}

func readRow(e *workflowpb.WorkflowExecutionInfo) row {
	r := row{ID: e.Execution.GetWorkflowId(), RunID: e.Execution.GetRunId(), Started: e.GetStartTime().AsTime()}
	if e.GetCloseTime() != nil {
		r.Ended = e.GetCloseTime().AsTime()
	}
	fields := e.GetSearchAttributes().GetIndexedFields()
	read(fields, signals.AttrRepository, &r.Repository)
	read(fields, signals.AttrPhase, &r.Phase)
	read(fields, signals.AttrOutcome, &r.Outcome)
	read(fields, signals.AttrHost, &r.Host)
	read(fields, signals.AttrAgent, &r.Agent)
	read(fields, signals.AttrPullRequest, &r.PullRequest)
	read(fields, signals.AttrNeedsHuman, &r.NeedsHuman)
	read(fields, signals.AttrCostUSD, &r.CostUSD)
	read(fields, signals.AttrWaitsFor, &r.WaitsFor)
	read(fields, signals.AttrWaitingUntil, &r.WaitingUntil)
	if status := e.GetStatus(); status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		r.Phase, r.WaitsFor = task.Ended, ""
		if r.Outcome == "" {
			r.Outcome = outcomeOf(status)
		}
	}
	return r
}

// outcomeOf names the end of a task that could not say it itself: it was terminated, or its input was refused.
func outcomeOf(status enumspb.WorkflowExecutionStatus) task.Outcome {
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return task.Cancelled
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW:
		return ""
	}
	return task.Failed
}

// read decodes a search attribute. What can't be decoded stays empty.
func read[T any](fields map[string]*commonpb.Payload, name string, into *T) {
	if payload, ok := fields[name]; ok {
		_ = converter.GetDefaultDataConverter().FromPayload(payload, into)
	}
}

// state is the phase with what a person must know about it.
func (r row) state(now time.Time) string {
	state := string(r.Phase)
	switch {
	case r.Outcome != "":
		return string(r.Outcome)
	case state == "":
		return "starting"
	case r.Phase == task.Queued && r.WaitsFor != "":
		state += " (" + strings.ReplaceAll(string(r.WaitsFor), "_", " ") + ")"
	case r.WaitingUntil.After(now):
		state += fmt.Sprintf(" (%s left)", remaining(r.WaitingUntil.Sub(now)))
	}
	if r.NeedsHuman {
		state += " — needs you"
	}
	return state
}
