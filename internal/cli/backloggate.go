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

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intakes"
	"github.com/longshift/longshift/signals"
)

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
		case errors.As(err, &down), refused(err):
			return err
		case err != nil: // a query is answered by a worker
			return errAway{noWorker}
		}
		w.troubled(noTrouble)
		return v.Get(&state)
	})
	return state, err
}

// refused tells whether the server has understood, and says no.
func refused(err error) bool {
	var denied *serviceerror.PermissionDenied
	var invalid *serviceerror.InvalidArgument
	var namespace *serviceerror.NamespaceNotFound
	return errors.As(err, &denied) || errors.As(err, &invalid) || errors.As(err, &namespace)
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
