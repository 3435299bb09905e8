package inbound

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

// Client is the part of client.Client that a Handler uses.
type Client interface {
	reader
	executor
	directoryClient
	taskClient
	signaler
}

type reader interface {
	QueryWorkflowWithOptions(ctx context.Context, r *client.QueryWorkflowWithOptionsRequest) (*client.QueryWorkflowWithOptionsResponse, error)
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	ListWorkflow(context.Context, *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error)
}

// answerWithin bounds one call to the server, or to a worker through it.
const answerWithin = 10 * time.Second

// server reads workflows from the Temporal server. It changes nothing.
type server struct{ client reader }

// query asks a workflow; open requires that it runs. Kinds of its errors: NotFound when there is no such workflow; Work when the workflow
// can't answer, which asking again does not change; Infra when nobody answers.
func (s server) query(ctx context.Context, id, run, name string, open bool, into any, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	request := &client.QueryWorkflowWithOptionsRequest{WorkflowID: id, RunID: run, QueryType: name, Args: args,
		QueryRejectCondition: enumspb.QUERY_REJECT_CONDITION_NONE}
	if open {
		request.QueryRejectCondition = enumspb.QUERY_REJECT_CONDITION_NOT_OPEN
	}
	response, err := s.client.QueryWorkflowWithOptions(ctx, request)
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

func (s server) status(ctx context.Context, id string) (signals.Status, error) {
	var status signals.Status
	err := s.query(ctx, id, "", signals.QueryStatus, false, &status)
	return status, err
}

// describe looks a task up by its whole id. No worker is asked. NotFound says that no task has the id.
func (s server) describe(ctx context.Context, id string) (row, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	d, err := s.client.DescribeWorkflowExecution(ctx, id, "")
	var gone *serviceerror.NotFound
	var invalid *serviceerror.InvalidArgument
	if errors.As(err, &gone) || errors.As(err, &invalid) {
		return row{}, fault.New(fault.NotFound, "no task %q", id).WithHint("list shows what runs")
	}
	if err != nil {
		return row{}, noAnswer(err)
	}
	r := readRow(d.GetWorkflowExecutionInfo())
	if r.kind != signals.CodingTask && r.kind != signals.PullRequestFlow {
		return row{}, fault.New(fault.NotFound, "%q is no task", id).WithHint("list shows what runs")
	}
	return r, nil
}

// updateError tells a refusal by the workflow, which is final, from a server or a worker that does not answer.
func updateError(err error, id string) error {
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

// acceptedThenEnded is the type of the server's error for an update whose workflow ended in the middle of it.
const acceptedThenEnded = "AcceptedUpdateCompletedWorkflow"

// noAnswer is the error for which the platform delivers the event again.
func noAnswer(err error) error {
	return fault.New(fault.Infra, "the Temporal server or a worker does not answer: %w", err)
}

// final reports whether trying again would end in the same error.
func final(err error) bool { return !fault.KindOf(err).Retryable() }
