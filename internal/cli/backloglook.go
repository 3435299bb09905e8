package cli

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/intakes"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// backlogClient is what watching a backlog needs of the client.
type backlogClient interface {
	watched
	messenger
	starter
	lister
	intakes.Client
	WorkflowService() workflowservice.WorkflowServiceClient
}

// lookTimeout bounds one look, as for one of a schedule.
const lookTimeout = 30 * time.Minute

// look lets the worker look at the folder once, and gives what has come of it. One that runs already, which a watch that was killed has
// left or another one has begun, is waited for; then comes our own. A look that fails is told of, and gives nil.
func (w *watching) look(ctx context.Context) (*signals.Pass, error) {
	for {
		run, ours, err := w.startLook(ctx)
		if err != nil {
			return nil, err
		}
		pass, err := w.seen(ctx, run)
		var timeout *temporal.TimeoutError
		var ended *temporal.TerminatedError
		switch {
		case errors.Is(err, errInterrupted):
			return nil, err
		case err == nil && (ours || len(pass.Started) > 0):
			w.failed, w.failures = "", 0
			return &pass, nil
		case err == nil, errors.As(err, &timeout), errors.As(err, &ended), !ours:
			if !w.p.pause(ctx, time.Second) {
				return nil, errInterrupted
			}
			continue
		}
		w.failures++
		if text := lookError(err); text != w.failed {
			w.failed = text
			w.tell(event{Type: eventError}, text)
			w.ring()
		}
		return nil, nil
	}
}

// startLook starts a look, or finds the one that runs.
func (w *watching) startLook(ctx context.Context) (run client.WorkflowRun, ours bool, err error) {
	id := "intake-" + w.in.Name
	err = w.insist(ctx, func(call context.Context) error {
		ours = true
		run, err = w.client.ExecuteWorkflow(call, client.StartWorkflowOptions{
			ID: id, TaskQueue: signals.Queue, WorkflowExecutionErrorWhenAlreadyStarted: true, WorkflowRunTimeout: lookTimeout,
			WorkflowTaskTimeout: signals.WorkflowTaskTimeout, StaticSummary: task.Literally("looks for files in " + w.folder + " of " + w.repo.Text),
		}, signals.IssueIntake, w.in)
		var runs *serviceerror.WorkflowExecutionAlreadyStarted
		if errors.As(err, &runs) {
			run, ours = w.client.GetWorkflow(call, id, runs.RunId), false
			return nil
		}
		return err
	})
	return run, ours, w.p.explain(err, id)
}

// seen waits for the end of a look.
func (w *watching) seen(ctx context.Context, run client.WorkflowRun) (pass signals.Pass, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		pass signals.Pass
		err  error
	}
	for {
		done := make(chan result, 1)
		go func() {
			var r result
			r.err = run.Get(ctx, &r.pass)
			done <- r
		}()
		var r result
		select {
		case r = <-done:
		case <-w.p.clock.after(lookPatient):
			w.troubled(noWorker)
			w.screen.set("⏳ No worker is answering; the look waits for one")
			select {
			case r = <-done:
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil:
			return pass, errInterrupted
		case r.err != nil && unreachable(r.err):
			w.troubled(noServer)
			if !w.p.pause(ctx, time.Second) {
				return pass, errInterrupted
			}
			continue
		}
		w.troubled(noTrouble)
		return r.pass, r.err
	}
}

// lookError is why a look has failed, with the way out.
func lookError(err error) string {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		return "looking at the folder has failed: " + firstLine(err.Error())
	}
	var hint string
	if app.HasDetails() {
		_ = app.Details(&hint) // one that is no text is none
	}
	return failure{Message: firstLine(app.Message()), Hint: hint}.line()
}

// taken gives the task of a file that a look has begun, and tells of what it has left alone.
func (w *watching) taken(ctx context.Context, pass *signals.Pass) (*job, error) {
	w.leaves(pass.Left)
	for _, id := range pass.Started {
		j, err := w.origin(ctx, id, "")
		if err != nil {
			return nil, err
		}
		if j != nil {
			j.before = false
			w.finds(j)
			return j, nil
		}
	}
	return nil, nil
}
