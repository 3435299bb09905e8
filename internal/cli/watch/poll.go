package watch

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

const (
	pollTimeout = 30 * time.Minute // of one poll, as for one of a schedule
	pollPatient = 10 * time.Second // until it is reported that no worker polls
)

// intakeClient is what polling needs of the client.
type intakeClient interface {
	tasks.Starter
	GetWorkflow(ctx context.Context, workflowID, runID string) client.WorkflowRun
}

// poller has a worker poll the folder: it starts tasks for new files.
type poller struct {
	client   intakeClient
	calls    *caller
	report   *reporter
	screen   *term.Screen
	clock    environ.Clock
	explain  func(err error, what string) error
	backlog  backlog
	in       signals.IntakeInput
	failed   string // the last error
	failures int    // in a row
}

// poll polls once and returns the result. A poll that runs already, started by a watch that was killed or by another one, is waited for
// first. One that fails is reported, and returns nil.
func (p *poller) poll(ctx context.Context) (*signals.PollResult, error) {
	for {
		run, ours, err := p.start(ctx)
		if err != nil {
			return nil, err
		}
		pass, err := p.wait(ctx, run)
		var timeout *temporal.TimeoutError
		var ended *temporal.TerminatedError
		switch {
		case errors.Is(err, term.ErrInterrupted):
			return nil, err
		case err == nil && (ours || len(pass.Started) > 0):
			p.failed, p.failures = "", 0
			return &pass, nil
		case err == nil, errors.As(err, &timeout), errors.As(err, &ended), !ours:
			if !p.clock.Pause(ctx, time.Second) {
				return nil, term.ErrInterrupted
			}
			continue
		}
		p.failures++
		if text := pollError(err); text != p.failed {
			p.failed = text
			p.report.event(event{Type: eventError}, text)
			p.report.ring()
		}
		return nil, nil
	}
}

// again is when to poll again after a failure.
func (p *poller) again(now time.Time) time.Time {
	return now.Add(min(5*time.Second<<min(p.failures, 10), 10*time.Minute))
}

// failing tells whether the last poll has failed.
func (p *poller) failing() bool { return p.failures > 0 }

// start starts a poll, or finds the one that runs.
func (p *poller) start(ctx context.Context) (run client.WorkflowRun, ours bool, err error) {
	id := "intake-" + p.in.Name
	err = p.calls.call(ctx, func(call context.Context) error {
		ours = true
		run, err = p.client.ExecuteWorkflow(call, client.StartWorkflowOptions{
			ID: id, TaskQueue: signals.Queue, WorkflowExecutionErrorWhenAlreadyStarted: true, WorkflowRunTimeout: pollTimeout,
			WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
			StaticSummary:       task.Literally("looks for files in " + p.backlog.path + " of " + p.backlog.repo.Text),
		}, signals.IssueIntake, p.in)
		var runs *serviceerror.WorkflowExecutionAlreadyStarted
		if errors.As(err, &runs) {
			run, ours = p.client.GetWorkflow(call, id, runs.RunId), false
			return nil
		}
		return err
	})
	return run, ours, p.explain(err, id)
}

// wait waits for the end of a poll.
func (p *poller) wait(ctx context.Context, run client.WorkflowRun) (pass signals.PollResult, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		pass signals.PollResult
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
		case <-p.clock.After(pollPatient):
			p.calls.troubled(tasks.NoWorker)
			p.screen.Set("⏳ No worker is answering; the look waits for one")
			select {
			case r = <-done:
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil:
			return pass, term.ErrInterrupted
		case r.err != nil && server.Unreachable(r.err):
			p.calls.troubled(tasks.NoServer)
			if !p.clock.Pause(ctx, time.Second) {
				return pass, term.ErrInterrupted
			}
			continue
		}
		p.calls.troubled(tasks.NoTrouble)
		return r.pass, r.err
	}
}

// pollError is why a poll has failed, with the way out.
func pollError(err error) string {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		return "looking at the folder has failed: " + term.FirstLine(err.Error())
	}
	var hint string
	if app.HasDetails() {
		_ = app.Details(&hint) // details that are no text are no hint
	}
	return term.Failure{Message: term.FirstLine(app.Message()), Hint: hint}.Line()
}
