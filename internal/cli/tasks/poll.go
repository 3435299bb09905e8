package tasks

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

const (
	pollEvery  = time.Second     // how often the server is asked about a task
	askEvery   = 5 * time.Second // how often its worker is asked, when the task's history has not grown
	queryLimit = 5 * time.Second // how long a worker may take
)

// PollClient is what following a task needs of the client.
type PollClient interface {
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	QueryWorkflow(ctx context.Context, workflowID, runID, queryType string, args ...any) (converter.EncodedValue, error)
	GetWorkflow(ctx context.Context, workflowID, runID string) client.WorkflowRun
}

// Trouble is why nothing new is known of a task. The task itself is safe in each case.
type Trouble int

const (
	NoTrouble Trouble = iota
	NoWorker          // the server knows the task, but nobody who works on it answers
	NoServer
)

// Snapshot is what is known of a task at one moment.
type Snapshot struct {
	Status  *signals.Status    // the newest; nil before the first answer
	Beat    *signals.Heartbeat // of the session that runs now, or nil
	waits   string             // for what a step waits that nobody has taken yet, "" for nothing
	trouble Trouble
	Closed  bool  // nothing will follow
	Err     error // why the task ended without a result, or why it can't be watched
}

// Unanswered tells whether the task goes on and no worker answers, so that its status is only what the server's list has.
func (s Snapshot) Unanswered() bool { return s.trouble == NoWorker }

// Poller asks the server, and through it the worker, what a task does.
type Poller struct {
	client  PollClient
	id, run string
	clock   environ.Clock

	last    Snapshot
	asked   time.Time // when the worker answered last
	history int64     // length of the history it answered about
}

func NewPoller(c PollClient, id, run string, clock environ.Clock) *Poller {
	return &Poller{client: c, id: id, run: run, clock: clock}
}

// Watch sends snapshots until the task has closed or ctx ends. The channel is closed after the last one.
func (p *Poller) Watch(ctx context.Context) <-chan Snapshot {
	ch := make(chan Snapshot)
	go func() {
		defer close(ch)
		for {
			p.look(ctx)
			select {
			case ch <- p.last:
			case <-ctx.Done():
				return
			}
			if p.last.Closed {
				return
			}
			select {
			case <-p.clock.After(pollEvery):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

// Poll takes one snapshot.
func (p *Poller) Poll(ctx context.Context) Snapshot {
	p.look(ctx)
	return p.last
}

func (p *Poller) look(ctx context.Context) {
	call, cancel := server.Answer(ctx)
	d, err := p.client.DescribeWorkflowExecution(call, p.id, p.run)
	cancel()
	var notFound *serviceerror.NotFound
	switch {
	case errors.As(err, &notFound):
		p.last.Closed, p.last.Err = true, fault.New(fault.NotFound, "task %s is gone from the server", p.id)
		return
	case err != nil:
		p.last.trouble, p.last.Beat = NoServer, nil
		return
	}
	info := d.GetWorkflowExecutionInfo()
	if info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW {
		p.run = "" // go on with the newest run
		return
	}
	if info.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		p.end(ctx, info.GetStatus())
		return
	}
	p.addActs(ctx, d)
	p.last.Beat, p.last.waits = newestBeat(d), stepWaits(d, p.clock.Now())
	if p.last.trouble == NoTrouble && p.last.Status != nil && info.GetHistoryLength() == p.history && p.clock.Now().Sub(p.asked) < askEvery {
		return
	}
	p.ask(ctx, info.GetHistoryLength())
}

// addActs adds what the task's session of Longshift's own agent does, which is a workflow of its own. What can't be had now comes with the
// next snapshot.
func (p *Poller) addActs(ctx context.Context, d *workflowservice.DescribeWorkflowExecutionResponse) {
	for _, child := range d.GetPendingChildren() {
		if child.GetWorkflowTypeName() != signals.AgentSession {
			continue
		}
		call, cancel := server.Answer(ctx)
		session, err := p.client.DescribeWorkflowExecution(call, child.GetWorkflowId(), child.GetRunId())
		cancel()
		if err == nil {
			d.PendingActivities = append(d.PendingActivities, session.GetPendingActivities()...)
		}
	}
}

// ask queries the worker for the status.
func (p *Poller) ask(ctx context.Context, history int64) {
	status, err := queryStatus(ctx, p.client, p.id, p.run)
	var early *serviceerror.WorkflowNotReady
	switch {
	case err == nil:
		p.last.Status, p.last.trouble = status, NoTrouble
		p.asked, p.history = p.clock.Now(), history
	case errors.As(err, &early): // the first workflow task has not been done yet
	case ctx.Err() == nil:
		p.last.trouble = NoWorker
	}
}

// end fetches what a closed task has left: its result, or the status inside its failure.
func (p *Poller) end(ctx context.Context, closed enumspb.WorkflowExecutionStatus) {
	call, cancel := server.Answer(ctx)
	defer cancel()
	status, err := result(call, p.client.GetWorkflow(call, p.id, p.run))
	if err != nil && server.Unreachable(err) {
		p.last.trouble, p.last.Beat = NoServer, nil
		return // the task has ended; its result is fetched when the server is back
	}
	if status == nil { // terminated, or refused before it began: keep what was known
		status = &signals.Status{WorkflowID: p.id, RunID: p.run}
		if p.last.Status != nil {
			*status = *p.last.Status
		}
	}
	if status.Outcome == "" {
		status.Outcome = outcomeOf(closed)
	}
	status.Phase = task.Ended
	p.last = Snapshot{Status: status, Closed: true, Err: err}
}
