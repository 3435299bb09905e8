package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/visibility"
	"github.com/longshift/longshift/signals"
)

// finderClient is what finding the tasks of a folder needs of the client.
type finderClient interface {
	visibility.Lister
	QueryWorkflow(ctx context.Context, workflowID, runID, queryType string, args ...any) (converter.EncodedValue, error)
	WorkflowService() workflowservice.WorkflowServiceClient
}

// finder finds the tasks of a folder that are to be followed.
type finder struct {
	client    finderClient
	calls     *caller
	report    *reporter
	server    *server.Connector
	backlog   backlog
	intake    string          // the name under which the watch polls
	since     time.Time       // when the watch began
	followed  map[string]bool // ids of tasks that were reported
	strangers map[string]bool // ids of tasks of other folders
	next      []*job          // to be followed
	adopted   bool            // the tasks that ran before the watch are known
	busy      bool
}

// add has a task followed next.
func (f *finder) add(j *job) { f.next = append(f.next, j) }

// take returns the task that is to be followed next, nil for none.
func (f *finder) take() *job {
	if len(f.next) == 0 {
		return nil
	}
	j := f.next[0]
	f.next = f.next[1:]
	if !f.followed[j.id] {
		f.found(j)
	}
	return j
}

// found reports a task, once.
func (f *finder) found(j *job) {
	f.followed[j.id] = true
	j.found(f.report, f.server.Page(j.id, j.run))
}

// isBusy tells whether the limiter holds something of the folder that can't be followed.
func (f *finder) isBusy() bool { return f.busy }

// limiter asks the repository's limiter which tasks work and which wait.
func (f *finder) limiter(ctx context.Context) (state signals.LimiterState, err error) {
	err = f.calls.call(ctx, func(call context.Context) error {
		state = signals.LimiterState{}
		v, err := f.client.QueryWorkflow(call, signals.LimiterID("", f.backlog.repo), "", signals.QueryLimiter)
		var none *serviceerror.NotFound
		var down *serviceerror.Unavailable
		switch {
		case errors.As(err, &none):
			return nil
		case errors.As(err, &down), refused(err):
			return err
		case err != nil: // a query is answered by a worker
			return errAway{tasks.NoWorker}
		}
		f.calls.troubled(tasks.NoTrouble)
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

// origin reads the input of a task. It returns nil for a workflow that is no task of the folder.
func (f *finder) origin(ctx context.Context, id, run string) (*job, error) {
	var j *job
	err := f.calls.call(ctx, func(call context.Context) error {
		j = nil
		r, err := f.client.WorkflowService().GetWorkflowExecutionHistory(call, &workflowservice.GetWorkflowExecutionHistoryRequest{
			Namespace: f.server.Namespace(), MaximumPageSize: 1, Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: run}})
		var gone *serviceerror.NotFound
		if errors.As(err, &gone) {
			return nil
		}
		if err != nil {
			return err
		}
		j = jobOf(f.backlog, id, r)
		return nil
	})
	return j, f.server.Explain(err, id)
}

// running returns a task that works or waits, and that was not followed yet; nil when there is none. scheduled is the intake that polls
// the folder, "" for none; parked tells of a task whether it is watched already.
func (f *finder) running(ctx context.Context, scheduled string, parked func(id string) bool) (*job, error) {
	state, err := f.limiter(ctx)
	if err != nil {
		return nil, err
	}
	ours := func(name string) bool { return name == f.intake || name != "" && name == scheduled }
	type at struct{ id, run string }
	var there []at
	for _, h := range state.Holders {
		if ours(h.Intake) {
			there = append(there, at{h.Workflow, h.Run})
		}
	}
	for _, h := range state.Waiters {
		if ours(h.Intake) {
			there = append(there, at{h.Workflow, h.Run})
		}
	}
	f.busy = false
	for _, a := range there {
		if parked(a.id) {
			continue
		}
		var j *job
		if !f.followed[a.id] {
			if j, err = f.origin(ctx, a.id, a.run); err != nil {
				return nil, err
			}
		}
		if f.busy = j == nil; j != nil { // else a round on a pull request, or one that was killed: the limiter finds out
			f.found(j)
			return j, nil
		}
	}
	if err := f.adopt(ctx, scheduled != ""); err != nil {
		return nil, err
	}
	return f.take(), nil
}

// adopt finds tasks of the folder that others have started: before the watch, and while an intake polls. The limiter does not know those
// that wait for a person.
func (f *finder) adopt(ctx context.Context, scheduled bool) error {
	if f.adopted && !scheduled {
		return nil
	}
	which := "ExecutionStatus = 'Running'"
	if f.adopted {
		which = "StartTime >= '" + f.since.UTC().Format(time.RFC3339) + "'" // so that a quick one is not missed
	}
	var ids []string
	err := f.calls.call(ctx, func(call context.Context) error {
		ids = nil
		r, err := f.client.ListWorkflow(call, &workflowservice.ListWorkflowExecutionsRequest{Namespace: f.server.Namespace(), PageSize: 200,
			Query: "WorkflowType = '" + signals.CodingTask + "' AND WorkflowId STARTS_WITH 'backlog:' AND " + which})
		for _, e := range r.GetExecutions() {
			ids = append(ids, e.GetExecution().GetWorkflowId())
		}
		return err
	})
	if err != nil {
		return f.server.Explain(err, "")
	}
	slices.Reverse(ids) // the oldest first
	for _, id := range ids {
		if f.followed[id] || f.strangers[id] {
			continue
		}
		j, err := f.origin(ctx, id, "")
		switch {
		case err != nil:
			return err
		case j == nil:
			f.strangers[id] = true
		default:
			f.add(j)
		}
	}
	f.adopted = true
	return nil
}

// started returns the task that a poll has started, nil for none.
func (f *finder) started(ctx context.Context, pass *signals.PollResult) (*job, error) {
	for _, id := range pass.Started {
		j, err := f.origin(ctx, id, "")
		if err != nil {
			return nil, err
		}
		if j != nil {
			j.before = false
			f.found(j)
			return j, nil
		}
	}
	return nil, nil
}
