package cli

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// fakeTask is a task on a server, seen through the client. Tests change it while it is watched.
type fakeTask struct {
	mu       sync.Mutex
	status   signals.Status
	beat     *signals.Beat
	history  int64
	closed   enumspb.WorkflowExecutionStatus // unspecified while it runs
	ended    error                           // what Get gives once it is closed
	server   error                           // what the server answers to everything
	worker   error                           // what queries give
	update   error                           // what updates give
	ack      signals.Ack
	updates  []client.UpdateWorkflowOptions
	signals  []any
	queries  int
	signaled error
}

func newFakeTask(phase task.Phase) *fakeTask {
	return &fakeTask{history: 1, status: signals.Status{WorkflowID: "web-1", RunID: "run-1", TaskID: "web-1-run", Phase: phase, Started: time.Now(), BudgetUSD: 5}}
}

// set changes the task, as an event in its history.
func (f *fakeTask) set(change func(*fakeTask)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.history++
	change(f)
}

func (f *fakeTask) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server != nil {
		return nil, f.server
	}
	status := f.closed
	if status == enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED {
		status = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	}
	d := &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: "web-1", RunId: "run-1"}, Type: &commonpb.WorkflowType{Name: signals.CodingTask},
		Status: status, HistoryLength: f.history}}
	if f.beat != nil {
		payloads, err := converter.GetDefaultDataConverter().ToPayloads(*f.beat)
		if err != nil {
			return nil, err
		}
		d.PendingActivities = []*workflowpb.PendingActivityInfo{{ActivityId: "other"}, {ActivityId: "agent", HeartbeatDetails: payloads}}
	}
	return d, nil
}

func (f *fakeTask) QueryWorkflow(ctx context.Context, _, _, _ string, _ ...any) (converter.EncodedValue, error) {
	f.mu.Lock()
	f.queries++
	status, err := f.status, f.worker
	f.mu.Unlock()
	if err == context.DeadlineExceeded { // nobody answers: the call takes all of its time
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(status)
	return client.NewValue(payloads), err
}

func (f *fakeTask) GetWorkflow(context.Context, string, string) client.WorkflowRun {
	return fakeRun{task: f}
}

type fakeRun struct {
	client.WorkflowRun
	task *fakeTask
}

func (r fakeRun) Get(_ context.Context, into any) error {
	r.task.mu.Lock()
	defer r.task.mu.Unlock()
	if r.task.ended != nil {
		return r.task.ended
	}
	*into.(*signals.Status) = r.task.status
	return nil
}

func (f *fakeTask) UpdateWorkflow(ctx context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	f.mu.Lock()
	f.updates = append(f.updates, o)
	err := f.update
	f.mu.Unlock()
	if err == context.DeadlineExceeded {
		<-ctx.Done()
		return nil, client.NewWorkflowUpdateServiceTimeoutOrCanceledError(ctx.Err())
	}
	return fakeHandle{ack: f.ack, err: err}, nil
}

type fakeHandle struct {
	client.WorkflowUpdateHandle
	ack signals.Ack
	err error
}

func (h fakeHandle) Get(_ context.Context, into any) error {
	*into.(*signals.Ack) = h.ack
	return h.err
}

func (f *fakeTask) SignalWorkflow(_ context.Context, _, _, _ string, arg any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.signals = append(f.signals, arg)
	return f.signaled
}

// followed is a follower at work in a test's bubble of fake time.
type followed struct {
	*console
	task   *fakeTask
	keys   *io.PipeWriter
	stop   context.CancelFunc
	done   chan struct{}
	status *signals.Status
	err    error
	f      *follower
}

// startFollowing follows the task. With terminal there is a live line and keys can be pressed.
func startFollowing(t *testing.T, ft *fakeTask, terminal bool, change ...func(*follower)) *followed {
	c := newConsole(t)
	f := &followed{console: c, task: ft, done: make(chan struct{})}
	if terminal {
		c.tty, c.raw = true, true
		c.in, f.keys = io.Pipe()
	}
	p := c.program()
	ctx, stop := context.WithCancel(t.Context())
	f.stop = stop
	f.f = p.follower("web-1", ft)
	for _, c := range change {
		c(f.f)
	}
	go func() {
		defer close(f.done)
		f.status, f.err = f.f.follow(ctx, &watcher{client: ft, id: "web-1", run: "run-1", clock: p.clock})
	}()
	return f
}

func (f *followed) press(keys string) {
	if _, err := io.WriteString(f.keys, keys); err != nil {
		f.t.Error(err)
	}
}

// end waits for the follower and lets its keyboard go.
func (f *followed) end() {
	<-f.done
	f.stop()
	if f.keys != nil {
		f.keys.Close()
	}
}

// pass lets fake time go by.
func pass(d time.Duration) { <-time.After(d) }
