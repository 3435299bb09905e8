package inbound

import (
	"context"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
)

type taskClient interface {
	UpdateWorkflow(ctx context.Context, options client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error)
	CancelWorkflowWithOptions(ctx context.Context, options client.CancelWorkflowOptions) error
}

// taskWriter sends updates to tasks, and cancels them.
type taskWriter struct {
	client taskClient
	render render.Markdown
}

// update sends an update and waits for its result. A refusal by the task is the fault that the task made of it.
func (t taskWriter) update(ctx context.Context, u update) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var ack signals.Ack
	// Only the first run is named: a task that was reset, and a workflow that continues as a new run, are still the same.
	handle, err := t.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: u.task, FirstExecutionRunID: u.firstRun,
		UpdateName: u.verb, UpdateID: u.delivery, Args: []any{u.payload}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = handle.Get(ctx, &ack)
	}
	return outcome{answer: render.Sentence(t.render.Literal(ack.Text, 600)), reason: ack.Text}, updateError(err, u.task)
}

const cancelRequested = "Cancel requested; what runs is being stopped."

func (t taskWriter) cancel(ctx context.Context, c cancellation) (outcome, error) {
	ctx, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	err := t.client.CancelWorkflowWithOptions(ctx,
		client.CancelWorkflowOptions{WorkflowID: c.task, FirstExecutionRunID: c.firstRun, Reason: c.reason})
	return outcome{answer: cancelRequested, reason: c.reason}, updateError(err, c.task)
}
