package watch

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/grpc"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/intake/dirwatch"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// fakeDesk is a server with a worker, as far as a backlog goes. Files of the folder get their tasks from the test.
type fakeDesk struct {
	*clitest.Task // takes messages
	lock          sync.Mutex
	inputs        map[string]task.Input
	tasks         map[string]*clitest.Task
	gate          signals.LimiterState
	looks         []time.Time
	next          []looked // what the next looks give; nothing after the last
	silent        chan struct{}
	down          error
	schedules     []intakes.Spec
	triggered     []time.Time
}

type looked struct {
	pass signals.PollResult
	err  error
}

func (d *fakeDesk) of(id string) *clitest.Task {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.tasks[id]
}

func (d *fakeDesk) DescribeWorkflowExecution(ctx context.Context, id, run string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return d.of(id).DescribeWorkflowExecution(ctx, id, run)
}

func (d *fakeDesk) QueryWorkflow(ctx context.Context, id, run, query string, args ...any) (converter.EncodedValue, error) {
	if query != signals.QueryLimiter {
		return d.of(id).QueryWorkflow(ctx, id, run, query, args...)
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.down != nil {
		return nil, d.down
	}
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(d.gate)
	return client.NewValue(payloads), err
}

func (d *fakeDesk) GetWorkflow(ctx context.Context, id, run string) client.WorkflowRun {
	return d.of(id).GetWorkflow(ctx, id, run)
}

// ListWorkflow knows of no tasks from before the watch.
func (d *fakeDesk) ListWorkflow(_ context.Context, q *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	if !strings.Contains(q.Query, "StartTime") {
		return &workflowservice.ListWorkflowExecutionsResponse{}, nil
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	r := &workflowservice.ListWorkflowExecutionsResponse{}
	for id := range d.tasks {
		r.Executions = append(r.Executions, &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{WorkflowId: id}})
	}
	return r, nil
}

func (d *fakeDesk) WorkflowService() workflowservice.WorkflowServiceClient {
	return fakeService{desk: d}
}

type fakeService struct {
	workflowservice.WorkflowServiceClient
	desk *fakeDesk
}

func (s fakeService) GetWorkflowExecutionHistory(_ context.Context, r *workflowservice.GetWorkflowExecutionHistoryRequest,
	_ ...grpc.CallOption) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
	d := s.desk
	d.lock.Lock()
	defer d.lock.Unlock()
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(d.inputs[r.Execution.WorkflowId])
	began := &historypb.WorkflowExecutionStartedEventAttributes{WorkflowType: &commonpb.WorkflowType{Name: signals.CodingTask}, Input: payloads,
		OriginalExecutionRunId: "run-1"}
	return &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: []*historypb.HistoryEvent{{
		Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{WorkflowExecutionStartedEventAttributes: began}}}}}, err
}

func (d *fakeDesk) ScheduleClient() client.ScheduleClient { return fakeSchedules{desk: d} }

type fakeSchedules struct {
	client.ScheduleClient
	desk *fakeDesk
}

func (s fakeSchedules) List(context.Context, client.ScheduleListOptions) (client.ScheduleListIterator, error) {
	d := s.desk
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.down != nil {
		return nil, d.down
	}
	return &scheduleList{d.schedules}, nil
}

func (s fakeSchedules) GetHandle(context.Context, string) client.ScheduleHandle {
	return fakeHandle{desk: s.desk}
}

type fakeHandle struct {
	client.ScheduleHandle
	desk *fakeDesk
}

func (h fakeHandle) Trigger(context.Context, client.ScheduleTriggerOptions) error {
	h.desk.set(func(d *fakeDesk) { d.triggered = append(d.triggered, time.Now()) })
	return nil
}

type scheduleList struct{ rest []intakes.Spec }

func (l *scheduleList) HasNext() bool { return len(l.rest) > 0 }

func (l *scheduleList) Next() (*client.ScheduleListEntry, error) {
	p, err := converter.GetDefaultDataConverter().ToPayload(l.rest[0])
	l.rest = l.rest[1:]
	return &client.ScheduleListEntry{Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{"intake": p}}}, err
}

func (d *fakeDesk) ExecuteWorkflow(context.Context, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.down != nil {
		return nil, d.down
	}
	d.looks = append(d.looks, time.Now())
	r := lookRun{desk: d}
	if len(d.next) > 0 {
		r.looked, d.next = d.next[0], d.next[1:]
	}
	return r, nil
}

type lookRun struct {
	client.WorkflowRun
	looked
	desk *fakeDesk
}

func (r lookRun) Get(ctx context.Context, into any) error {
	if silent := r.desk.silent; silent != nil {
		select {
		case <-silent:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if p, ok := into.(*signals.PollResult); ok {
		*p = r.pass
	}
	return r.err
}

// looked gives the times of all looks so far, since the first one.
func (d *fakeDesk) times() (all []time.Duration) {
	d.lock.Lock()
	defer d.lock.Unlock()
	for _, at := range d.looks {
		all = append(all, at.Sub(d.looks[0]).Round(time.Second))
	}
	return all
}

func (d *fakeDesk) set(change func(*fakeDesk)) {
	d.lock.Lock()
	defer d.lock.Unlock()
	change(d)
}

// bench is a watch at work in a test's bubble of fake time.
type bench struct {
	*clitest.Terminal
	desk    *fakeDesk
	w       *watching
	repo    string
	changes chan dirwatch.Change
	stop    context.CancelFunc
	done    chan struct{}
	err     error
	keys    *io.PipeWriter
}

func newBench(t *testing.T, terminal bool, format string) *bench {
	b := &bench{Terminal: clitest.NewTerminal(t), desk: &fakeDesk{inputs: map[string]task.Input{}, tasks: map[string]*clitest.Task{}},
		changes: make(chan dirwatch.Change, 1),
		done:    make(chan struct{}), repo: t.TempDir()}
	for _, dir := range []string{".git", "backlog"} {
		if err := os.Mkdir(filepath.Join(b.repo, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.TTY, b.Raw, b.Columns = terminal, terminal, 300
	if terminal {
		b.In, b.keys = io.Pipe()
	}
	streams, env := b.Streams(), b.Environ()
	config, printer := environ.NewConfig(env), term.NewPrinter(streams)
	printer.Format = format
	at := server.NewConnector(env, config)
	o := &options{quiet: 30 * time.Second, Uses: Uses{Server: at, Printer: printer, Clock: environ.SystemClock(), Bell: terminal,
		Viewer: tasks.NewViewer(tasks.New(at, printer, func(string) bool { return false }), config, term.NewInput(streams), environ.SystemClock())}}
	o.spec.Name = "watch-x"
	b.w = newWatching(o, backlog{task.Repository{Text: b.repo, Path: b.repo}, "backlog"})
	b.w.changes = b.changes
	b.w.connect = func(context.Context) (serverClient, error) { return b.desk, nil }
	return b
}

func (b *bench) start() {
	ctx, stop := context.WithCancel(b.T.Context())
	b.stop = stop
	go func() {
		defer close(b.done)
		b.err = b.w.run(ctx)
	}()
}

// end interrupts the watch.
func (b *bench) end() {
	b.stop()
	<-b.done
	if b.keys != nil {
		b.keys.Close()
	}
}

// put puts a file into the folder.
func (b *bench) put(name, text string) {
	b.T.Helper()
	if err := os.WriteFile(filepath.Join(b.repo, "backlog", name), []byte(text), 0o644); err != nil {
		b.T.Fatal(err)
	}
}

func (b *bench) remove(name string) {
	b.T.Helper()
	if err := os.Remove(filepath.Join(b.repo, "backlog", name)); err != nil {
		b.T.Fatal(err)
	}
}

// begin makes the task of a file, as a look does, and gives its id.
func (b *bench) begin(name, text string, phase task.Phase) (id string, ft *clitest.Task) {
	b.put(name, text)
	id, ft = "backlog:"+name, clitest.NewTask(phase)
	b.desk.set(func(d *fakeDesk) {
		d.tasks[id] = ft
		d.inputs[id] = task.Input{Repository: b.repo, Task: text, Origin: &task.Origin{Source: "backlog", Key: name, Sum: workfile.Sum([]byte(text)),
			Intake: "watch-x"}}
	})
	return id, ft
}

// finds lets the next look begin a task.
func (b *bench) finds(ids ...string) {
	b.desk.set(func(d *fakeDesk) { d.next = append(d.next, looked{pass: signals.PollResult{Started: ids}}) })
}

func (b *bench) wrote() { b.changes <- dirwatch.Change{Wrote: true, At: time.Now()} }

// types gives the types of all events, in their order.
func (b *bench) types() (all []string) {
	b.T.Helper()
	for d := json.NewDecoder(strings.NewReader(b.Out.String())); ; {
		var e event
		if err := d.Decode(&e); err == io.EOF {
			return all
		} else if err != nil {
			b.T.Fatal(err)
		}
		all = append(all, e.Type)
	}
}
