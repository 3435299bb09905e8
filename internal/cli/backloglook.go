package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/intake"
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

// gate asks the repository's gate who works and who waits.
func (w *watching) gate(ctx context.Context) (state signals.GateState, err error) {
	err = w.insist(ctx, func(call context.Context) error {
		state = signals.GateState{}
		v, err := w.client.QueryWorkflow(call, signals.GateID("", w.repo), "", signals.QueryGate)
		var none *serviceerror.NotFound
		var down *serviceerror.Unavailable
		switch {
		case errors.As(err, &none):
			return nil
		case errors.As(err, &down):
			return err
		case err != nil: // a query is answered by a worker
			return errAway{noWorker}
		}
		w.troubled(noTrouble)
		return v.Get(&state)
	})
	return state, err
}

// others finds an intake that looks at the same folder by a schedule: then it is not for us to look.
func (w *watching) others(ctx context.Context) error {
	found := ""
	err := w.insist(ctx, func(call context.Context) error {
		found = ""
		all, err := intakes.List(call, w.client)
		for _, s := range all {
			if s.Source == string(intake.Backlog) && samePath(s.Repository, w.repo.Path) && backlogFolder(s.Path) == w.folder {
				found = s.Name
				if s.Paused {
					found += paused
				}
				break
			}
		}
		return err
	})
	if err != nil || found == w.scheduled {
		return err
	}
	name := strings.TrimSuffix(found, paused)
	switch {
	case found == "":
		w.tell(event{Type: eventRecovered}, "the intake is gone; looking at "+w.folder+" from here")
	case found != name:
		w.tell(event{Type: eventError}, "intake "+name+" is there for this folder, and is paused: nothing begins until `longshift intake resume "+name+"`, or `remove`")
	default:
		w.tell(event{Type: eventWaiting}, "intake "+name+" looks at this folder already; following what it begins")
	}
	if w.scheduled, w.said = found, ""; found != "" {
		w.said = w.scheduledText() // the same in other words
	}
	return nil
}

// samePath tells whether two names lead to the same folder.
func samePath(a, b string) bool {
	if a == b {
		return true
	}
	x, err := filepath.EvalSymlinks(a)
	y, errs := filepath.EvalSymlinks(b)
	return err == nil && errs == nil && x == y
}

// origin reads what a task was begun with. It gives nil for what is no task of this folder.
func (w *watching) origin(ctx context.Context, id, run string) (*job, error) {
	var j *job
	err := w.insist(ctx, func(call context.Context) error {
		j = nil
		r, err := w.client.WorkflowService().GetWorkflowExecutionHistory(call, historyBegin(w.p.namespace, id, run))
		var gone *serviceerror.NotFound
		if errors.As(err, &gone) {
			return nil
		}
		if err != nil {
			return err
		}
		j = w.jobOf(id, r)
		return nil
	})
	return j, w.p.explain(err, id)
}

// running finds a task of this folder that works, or waits for its turn or for somebody, and that was not followed yet; nil when there is none.
func (w *watching) running(ctx context.Context) (*job, error) {
	state, err := w.gate(ctx)
	if err != nil {
		return nil, err
	}
	type at struct{ id, run string }
	var there []at
	for _, h := range state.Holders {
		if w.ours(h.Intake) {
			there = append(there, at{h.Workflow, h.Run})
		}
	}
	for _, h := range state.Waiters {
		if w.ours(h.Intake) {
			there = append(there, at{h.Workflow, h.Run})
		}
	}
	w.busy = false
	for _, a := range there {
		if w.parked[a.id] != nil {
			continue // its own watcher tells
		}
		var j *job
		if !w.known[a.id] {
			if j, err = w.origin(ctx, a.id, a.run); err != nil {
				return nil, err
			}
		}
		if w.busy = j == nil; j != nil { // else a round on a pull request, or one that was killed: the gate finds out
			w.finds(j)
			return j, nil
		}
	}
	if err := w.adopt(ctx); err != nil || len(w.awake) == 0 {
		return nil, err
	}
	return w.wake(), nil
}

// ours tells whether an intake begins tasks of this folder.
func (w *watching) ours(name string) bool {
	return name == w.in.Name || name != "" && name == strings.TrimSuffix(w.scheduled, paused)
}

// paused follows the name of an intake that is.
const paused = " (paused)"

// wake gives a task that is to be followed next.
func (w *watching) wake() *job {
	j := w.awake[0]
	w.awake = w.awake[1:]
	if !w.known[j.id] {
		w.finds(j)
	}
	return j
}

// adopt finds tasks of this folder that were begun by others: before this command, and while an intake looks. Those that wait for a person
// are not known to the gate.
func (w *watching) adopt(ctx context.Context) error {
	if w.adopted && w.scheduled == "" {
		return nil
	}
	which := "ExecutionStatus = 'Running'"
	if w.adopted {
		which = "StartTime >= '" + w.since.UTC().Format(time.RFC3339) + "'" // one that is quick is not missed
	}
	var ids []string
	err := w.insist(ctx, func(call context.Context) error {
		ids = nil
		r, err := w.client.ListWorkflow(call, &workflowservice.ListWorkflowExecutionsRequest{Namespace: w.p.namespace, PageSize: 200,
			Query: "WorkflowType = '" + signals.CodingTask + "' AND WorkflowId STARTS_WITH 'backlog:' AND " + which})
		for _, e := range r.GetExecutions() {
			ids = append(ids, e.GetExecution().GetWorkflowId())
		}
		return err
	})
	if err != nil {
		return w.p.explain(err, "")
	}
	slices.Reverse(ids) // the oldest first
	for _, id := range ids {
		if w.known[id] || w.strange[id] {
			continue
		}
		j, err := w.origin(ctx, id, "")
		switch {
		case err != nil:
			return err
		case j == nil:
			w.strange[id] = true
		default:
			w.awake = append(w.awake, j)
		}
	}
	w.adopted = true
	return nil
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
