package clitest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Task is a task on a server, seen through the client. Tests change it while it is watched.
type Task struct {
	Mu       sync.Mutex
	Status   signals.Status
	Beat     *signals.Heartbeat
	history  int64
	Closed   enumspb.WorkflowExecutionStatus // unspecified while it runs
	Ended    error                           // what Get gives once it is closed
	Server   error                           // what the server answers to everything
	Worker   error                           // what queries give
	Update   error                           // what updates give
	Ack      signals.Ack
	Updates  []client.UpdateWorkflowOptions
	Signals  []any
	Queries  int
	signaled error
}

func NewTask(phase task.Phase) *Task {
	status := signals.Status{WorkflowID: "web-1", RunID: "run-1", TaskID: "web-1-run", Phase: phase, Started: time.Now(), BudgetUSD: 5}
	return &Task{history: 1, Status: status}
}

// Set changes the task, as an event in its history.
func (f *Task) Set(change func(*Task)) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.history++
	change(f)
}

func (f *Task) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.Server != nil {
		return nil, f.Server
	}
	status := f.Closed
	if status == enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED {
		status = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	}
	d := &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: "web-1", RunId: "run-1"}, Type: &commonpb.WorkflowType{Name: signals.CodingTask},
		Status: status, HistoryLength: f.history}}
	if f.Beat != nil {
		payloads, err := converter.GetDefaultDataConverter().ToPayloads(*f.Beat)
		if err != nil {
			return nil, err
		}
		d.PendingActivities = []*workflowpb.PendingActivityInfo{{ActivityId: "other"},
			{ActivityId: "agent", State: enumspb.PENDING_ACTIVITY_STATE_STARTED, HeartbeatDetails: payloads}}
	}
	return d, nil
}

func (f *Task) QueryWorkflow(ctx context.Context, _, _, _ string, _ ...any) (converter.EncodedValue, error) {
	f.Mu.Lock()
	f.Queries++
	status, err := f.Status, f.Worker
	f.Mu.Unlock()
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

func (f *Task) GetWorkflow(context.Context, string, string) client.WorkflowRun {
	return fakeRun{task: f}
}

type fakeRun struct {
	client.WorkflowRun
	task *Task
}

func (r fakeRun) Get(_ context.Context, into any) error {
	r.task.Mu.Lock()
	defer r.task.Mu.Unlock()
	if r.task.Ended != nil {
		return r.task.Ended
	}
	*into.(*signals.Status) = r.task.Status
	return nil
}

func (f *Task) UpdateWorkflow(ctx context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	f.Mu.Lock()
	f.Updates = append(f.Updates, o)
	err := f.Update
	f.Mu.Unlock()
	if err == context.DeadlineExceeded {
		<-ctx.Done()
		return nil, client.NewWorkflowUpdateServiceTimeoutOrCanceledError(ctx.Err())
	}
	return fakeHandle{ack: f.Ack, err: err}, nil
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

func (f *Task) SignalWorkflow(_ context.Context, _, _, _ string, arg any) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Signals = append(f.Signals, arg)
	return f.signaled
}

// Pass lets fake time go by.
func Pass(d time.Duration) { <-time.After(d) }

func Line(n int, kind, text string) signals.LogLine {
	return signals.LogLine{N: n, Entry: task.Entry{Time: time.Now(), Kind: kind, Text: text}}
}

func (f *Task) Log(lines ...signals.LogLine) {
	f.Set(func(f *Task) { f.Status.Log = append(f.Status.Log, lines...) })
}

func (f *Task) End(outcome task.Outcome) {
	f.Set(func(f *Task) {
		f.Status.Outcome, f.Status.Phase = outcome, task.Ended
		f.Closed = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
}

// Wants checks that the texts stand in the output in this order.
func Wants(t *testing.T, out string, texts ...string) {
	t.Helper()
	rest := out
	for _, text := range texts {
		i := strings.Index(rest, text)
		if i < 0 {
			t.Fatalf("no %q (in this order) in:\n%s", text, out)
		}
		rest = rest[i+len(text):]
	}
}
