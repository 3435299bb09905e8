package tasks

import (
	"context"
	"crypto/rand"
	"errors"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Messenger is what sending a message to a task needs of the client.
type Messenger interface {
	UpdateWorkflow(ctx context.Context, options client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error)
	SignalWorkflow(ctx context.Context, workflowID, runID, signalName string, arg any) error
}

// Payload makes a request of the envelope that it travels in.
type Payload func(signals.Message) any

// How a message was delivered.
const (
	viaUpdate = "update" // a worker has answered
	viaSignal = "signal" // the server keeps it until a worker is back
	ViaCancel = "cancel"
)

// Delivery is what became of a message.
type Delivery struct {
	Task     string     `json:"task"`
	Via      string     `json:"via"`
	Phase    task.Phase `json:"phase,omitempty"`
	Revision int        `json:"revision,omitempty"`
	Text     string     `json:"text"`
}

// Send delivers a message as an update, which is answered. When no worker answers in time it goes as the signal of the
// same name, which the server keeps. Both carry one delivery id, so it counts once even when both arrive.
func (t *Tasks) Send(ctx context.Context, c Messenger, id, name string, m Payload) (Delivery, error) {
	message := signals.Message{ID: rand.Text(), By: t.server.Env.User()}
	request := m(message)
	call, cancel := server.Answer(ctx)
	defer cancel()
	var ack signals.Ack
	handle, err := c.UpdateWorkflow(call, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: name, UpdateID: message.ID, Args: []any{request},
		WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(call, &ack)
	}
	switch {
	case err == nil:
		return Delivery{Task: id, Via: viaUpdate, Phase: ack.Phase, Revision: ack.Revision, Text: ack.Text}, nil
	case ctx.Err() != nil:
		return Delivery{}, ctx.Err()
	case !unanswered(err):
		return Delivery{}, t.Refused(err, id)
	}
	signal, done := context.WithTimeout(ctx, server.AnswerWithin)
	defer done()
	if err := c.SignalWorkflow(signal, id, "", name, request); err != nil {
		return Delivery{}, t.Refused(err, id)
	}
	return Delivery{Task: id, Via: viaSignal, Text: "delivered; takes effect when a worker is back"}, nil
}

// RefuseToken refuses a text that holds a token; what names the text. Every text that goes to a task is checked here before it is sent.
func (t *Tasks) RefuseToken(what, text string) error {
	if !t.holds(text) {
		return nil
	}
	return fault.New(fault.Input, "%s holds a token, which the task's history would keep in clear", what).
		WithHint("take it out; setup and check get values by the variables that `needsEnv` names")
}

// unanswered tells whether no worker took the update in time.
func unanswered(err error) bool {
	var timeout *client.WorkflowUpdateServiceTimeoutOrCanceledError
	var deadline *serviceerror.DeadlineExceeded
	return errors.As(err, &timeout) || errors.As(err, &deadline) || errors.Is(err, context.DeadlineExceeded)
}

// Refused turns the answer to a refused message into a fault.
func (t *Tasks) Refused(err error, id string) error {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return refusal(app)
	}
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return fault.New(fault.Conflict, "task %s has ended", id).
			WithHint("see `longshift show %s`; `longshift follow-up` starts another one on top of its pull request, `longshift retry` the same one again", id)
	}
	var stuck *serviceerror.WorkflowNotReady
	if errors.As(err, &stuck) {
		return fault.New(fault.Infra, "task %s takes no message: no worker has been able to go on with it", id).
			WithHint("the log of the worker says why; start a worker of the release that has worked on the task, or of a newer one. Nothing is lost meanwhile")
	}
	return t.server.Explain(err, id)
}
