package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// messenger is what sending a message to a task needs of the client.
type messenger interface {
	UpdateWorkflow(ctx context.Context, options client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error)
	SignalWorkflow(ctx context.Context, workflowID, runID, signalName string, arg any) error
}

// payload makes a request of the envelope that it travels in.
type payload func(signals.Message) any

// How a message was delivered.
const (
	viaUpdate = "update" // a worker has answered
	viaSignal = "signal" // the server keeps it until a worker is back
	viaCancel = "cancel"
)

// delivery is what became of a message.
type delivery struct {
	Task     string     `json:"task"`
	Via      string     `json:"via"`
	Phase    task.Phase `json:"phase,omitempty"`
	Revision int        `json:"revision,omitempty"`
	Text     string     `json:"text"`
}

// send delivers a message as an update, which is answered. When no worker answers in time it goes as the signal of the
// same name, which the server keeps. Both carry one delivery id, so it counts once even when both arrive.
func (p *program) send(ctx context.Context, c messenger, id, name string, m payload) (delivery, error) {
	message := signals.Message{ID: rand.Text(), By: p.by()}
	request := m(message)
	call, cancel := answer(ctx)
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
		return delivery{Task: id, Via: viaUpdate, Phase: ack.Phase, Revision: ack.Revision, Text: ack.Text}, nil
	case ctx.Err() != nil:
		return delivery{}, ctx.Err()
	case !unanswered(err):
		return delivery{}, p.refused(err, id)
	}
	signal, done := context.WithTimeout(ctx, answerWithin)
	defer done()
	if err := c.SignalWorkflow(signal, id, "", name, request); err != nil {
		return delivery{}, p.refused(err, id)
	}
	return delivery{Task: id, Via: viaSignal, Text: "delivered; takes effect when a worker is back"}, nil
}

// unanswered tells whether no worker took the update in time.
func unanswered(err error) bool {
	var timeout *client.WorkflowUpdateServiceTimeoutOrCanceledError
	var deadline *serviceerror.DeadlineExceeded
	return errors.As(err, &timeout) || errors.As(err, &deadline) || errors.Is(err, context.DeadlineExceeded)
}

// refused gives the reason why a message was not taken.
func (p *program) refused(err error, id string) error {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return refusal(app)
	}
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return fault.New(fault.Conflict, "task %s has ended", id).WithHint("see `longshift show %s`", id)
	}
	return p.explain(err, id)
}

// slowAfter is when a person is told what the command waits for.
const slowAfter = 2 * time.Second

// deliver finds the task, sends the message and prints what became of it.
func (p *program) deliver(ctx context.Context, given, name string, m payload) error {
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	f, err := p.find(ctx, c, given)
	if err != nil {
		return err
	}
	if err := f.stillRunning(); err != nil {
		return err
	}
	answered := make(chan struct{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		select {
		case <-answered:
		case <-p.clock.after(slowAfter):
			p.say("waiting for a worker to answer...")
		}
	}()
	d, err := p.send(ctx, c, f.id, name, m)
	close(answered)
	<-told
	if err != nil {
		return err
	}
	return p.print(d, func() string { return f.id + ": " + plain(d.Text) + "\n" })
}
