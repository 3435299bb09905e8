package listen

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Client is what an Ear uses of client.Client.
type Client interface {
	reader
	writer
}

type reader interface {
	QueryWorkflowWithOptions(ctx context.Context, request *client.QueryWorkflowWithOptionsRequest) (*client.QueryWorkflowWithOptionsResponse, error)
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	ListWorkflow(ctx context.Context, request *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error)
}

type writer interface {
	UpdateWorkflow(ctx context.Context, options client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error)
	NewWithStartWorkflowOperation(options client.StartWorkflowOptions, workflow any, args ...any) client.WithStartWorkflowOperation
	UpdateWithStartWorkflow(ctx context.Context, options client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error)
	SignalWorkflow(ctx context.Context, workflowID, runID, signalName string, arg any) error
	ExecuteWorkflow(ctx context.Context, options client.StartWorkflowOptions, workflow any, args ...any) (client.WorkflowRun, error)
	CancelWorkflowWithOptions(ctx context.Context, options client.CancelWorkflowOptions) error
}

// answerWithin is the time for one answer of the server, or of a worker through it.
const answerWithin = 10 * time.Second

// query asks a workflow. Kinds of its errors: NotFound when there is no such workflow, or none that runs and it must; Work when the
// workflow could not answer, which asking again does not change; Infra when nobody answered.
func (e *Ear) query(ctx context.Context, id, run, name string, open bool, into any, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	request := &client.QueryWorkflowWithOptionsRequest{WorkflowID: id, RunID: run, QueryType: name, Args: args,
		QueryRejectCondition: enumspb.QUERY_REJECT_CONDITION_NONE}
	if open {
		request.QueryRejectCondition = enumspb.QUERY_REJECT_CONDITION_NOT_OPEN
	}
	response, err := e.c.Client.QueryWorkflowWithOptions(ctx, request)
	var gone *serviceerror.NotFound
	var failed *serviceerror.QueryFailed
	switch {
	case errors.As(err, &gone):
		return fault.New(fault.NotFound, "no workflow %q", id)
	case errors.As(err, &failed):
		return fault.New(fault.Work, "workflow %q does not answer %q: %w", id, name, err)
	case err != nil:
		return noAnswer(err)
	case response.QueryRejected != nil:
		return fault.New(fault.NotFound, "workflow %q has ended", id)
	}
	if err := response.QueryResult.Get(into); err != nil {
		return fault.New(fault.Work, "workflow %q answers %q with something else: %w", id, name, err)
	}
	return nil
}

func (e *Ear) status(ctx context.Context, id, run string) (signals.Status, error) {
	var s signals.Status
	err := e.query(ctx, id, run, signals.QueryStatus, false, &s)
	return s, err
}

// update sends a request to a task and gives its answer. What the task refuses comes back as the fault that the task made of it.
func (e *Ear) update(ctx context.Context, d deed, request any) (signals.Ack, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var ack signals.Ack
	// No run is named but the first: a task that was reset, and a workflow that goes on as a new run, are still the same.
	handle, err := e.c.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: d.task, FirstExecutionRunID: d.first, UpdateName: d.verb,
		UpdateID: d.delivery, Args: []any{request}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = handle.Get(ctx, &ack)
	}
	return ack, refusal(err, d.task)
}

// refusal tells a task's no from a server that does not answer.
func refusal(err error, id string) error {
	if err == nil {
		return nil
	}
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return fault.New(fault.Conflict, "task %s has ended", id)
	}
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		return noAnswer(err)
	}
	kind := fault.Kind(app.Type())
	switch kind {
	case fault.Input, fault.NotFound, fault.Conflict, fault.Fenced, fault.Changed, fault.Denied, fault.Leak, fault.Work:
	case fault.Infra, fault.Stopping:
		return noAnswer(err)
	case acceptedThenEnded:
		return fault.New(fault.Conflict, "task %s ended before it could answer", id)
	default:
		return fault.New(fault.Conflict, "task %s does not take this: %s", id, app.Message())
	}
	f := fault.New(kind, "%s", app.Message())
	var hint string
	if app.HasDetails() && app.Details(&hint) == nil && hint != "" {
		f = f.WithHint("%s", hint)
	}
	return f
}

// acceptedThenEnded is the type that the server gives the error of an update whose workflow ended in the middle of it.
const acceptedThenEnded = "AcceptedUpdateCompletedWorkflow"

// noAnswer is the error for which the platform delivers again.
func noAnswer(err error) error {
	return fault.New(fault.Infra, "the Temporal server or a worker does not answer: %w", err)
}

// final tells whether trying the same again would give the same.
func final(err error) bool { return !fault.KindOf(err).Retryable() }
