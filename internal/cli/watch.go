package cli

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

const (
	lookEvery  = time.Second     // how often the server is asked about a task
	askEvery   = 5 * time.Second // how often its worker is asked, when the task's history has not grown
	queryLimit = 5 * time.Second // how long a worker may take
)

// watched is what following a task needs of the client.
type watched interface {
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	QueryWorkflow(ctx context.Context, workflowID, runID, queryType string, args ...any) (converter.EncodedValue, error)
	GetWorkflow(ctx context.Context, workflowID, runID string) client.WorkflowRun
}

// trouble is why nothing new is known of a task. The task itself is safe in each case.
type trouble int

const (
	noTrouble trouble = iota
	noWorker          // the server knows the task, but nobody who works on it answers
	noServer
)

// snapshot is what is known of a task at one moment.
type snapshot struct {
	status  *signals.Status // the newest; nil before the first answer
	beat    *signals.Beat   // of the session that runs now, or nil
	waits   string          // for what a step waits that nobody has taken yet, "" for nothing
	trouble trouble
	closed  bool  // nothing will follow
	err     error // why the task ended without a result, or why it can't be watched
}

// watcher asks the server, and through it the worker, what a task does.
type watcher struct {
	client  watched
	id, run string
	clock   clock

	last    snapshot
	asked   time.Time // when the worker answered last
	history int64     // length of the history it answered about
}

// watch sends snapshots until the task has closed or ctx ends. The channel is closed after the last one.
func (w *watcher) watch(ctx context.Context) <-chan snapshot {
	ch := make(chan snapshot)
	go func() {
		defer close(ch)
		for {
			w.look(ctx)
			select {
			case ch <- w.last:
			case <-ctx.Done():
				return
			}
			if w.last.closed {
				return
			}
			select {
			case <-w.clock.after(lookEvery):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

// look takes one snapshot.
func (w *watcher) look(ctx context.Context) {
	call, cancel := answer(ctx)
	d, err := w.client.DescribeWorkflowExecution(call, w.id, w.run)
	cancel()
	var notFound *serviceerror.NotFound
	switch {
	case errors.As(err, &notFound):
		w.last.closed, w.last.err = true, fault.New(fault.NotFound, "task %s is gone from the server", w.id)
		return
	case err != nil:
		w.last.trouble, w.last.beat = noServer, nil
		return
	}
	info := d.GetWorkflowExecutionInfo()
	if info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW {
		w.run = "" // go on with the newest run
		return
	}
	if info.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		w.end(ctx, info.GetStatus())
		return
	}
	w.last.beat, w.last.waits = newestBeat(d), stepWaits(d, w.clock.now())
	if w.last.trouble == noTrouble && w.last.status != nil && info.GetHistoryLength() == w.history && w.clock.now().Sub(w.asked) < askEvery {
		return
	}
	w.ask(ctx, info.GetHistoryLength())
}

// ask queries the worker for the status.
func (w *watcher) ask(ctx context.Context, history int64) {
	status, err := queryStatus(ctx, w.client, w.id, w.run)
	var early *serviceerror.WorkflowNotReady
	switch {
	case err == nil:
		w.last.status, w.last.trouble = status, noTrouble
		w.asked, w.history = w.clock.now(), history
	case errors.As(err, &early): // the first workflow task has not been done yet
	case ctx.Err() == nil:
		w.last.trouble = noWorker
	}
}

// end fetches what a closed task has left: its result, or the status inside its failure.
func (w *watcher) end(ctx context.Context, closed enumspb.WorkflowExecutionStatus) {
	call, cancel := answer(ctx)
	defer cancel()
	status, err := result(call, w.client.GetWorkflow(call, w.id, w.run))
	if err != nil && unreachable(err) {
		w.last.trouble, w.last.beat = noServer, nil
		return // the task has ended; its result is fetched when the server is back
	}
	if status == nil { // terminated, or refused before it began: keep what was known
		status = &signals.Status{WorkflowID: w.id, RunID: w.run}
		if w.last.status != nil {
			*status = *w.last.status
		}
	}
	if status.Outcome == "" {
		status.Outcome = outcomeOf(closed)
	}
	status.Phase = task.Ended
	w.last = snapshot{status: status, closed: true, err: err}
}
