package activities

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
)

// attempt is one attempt at an activity, as a worker runs it: with the Interceptor around it.
type attempt struct {
	interceptor.WorkerInterceptorBase
	t         testing.TB
	env       *testsuite.TestActivityEnvironment
	stop      chan struct{} // the worker stops when it is closed
	heartbeat time.Duration // timeout of the activity; 0 means that it needs no heartbeat
	number    int32         // of the attempt; 1 when it is 0
	workflow  string        // id of the workflow; the environment's own when empty
	beats     chan []any    // details of every heartbeat
	server    *server

	cancel context.CancelCauseFunc
}

func newAttempt(t testing.TB, r *redact.Redactor) *attempt {
	t.Helper()
	return attemptOn(t, &Interceptor{Redact: r})
}

// attemptOn makes an attempt on a worker, which attempts may share.
func attemptOn(t testing.TB, in *Interceptor) *attempt {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(tlog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	a := &attempt{t: t, env: suite.NewTestActivityEnvironment(), stop: make(chan struct{}), beats: make(chan []any, 10_000), server: &server{}}
	if in.client == nil {
		in.client = clientOf
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), attemptKey{}, a))
	t.Cleanup(func() { cancel(nil) })
	a.cancel = cancel
	a.env.SetWorkerStopChannel(a.stop)
	a.env.SetWorkerOptions(worker.Options{
		BackgroundActivityContext: ctx, Interceptors: []interceptor.WorkerInterceptor{a, in},
	})
	return a
}

// attempt makes an attempt on the bench's worker.
func (b *bench) attempt() *attempt { return attemptOn(b.t, b.worker) }

// run runs the activity and reads its result.
func (a *attempt) run(fn, input, into any) error {
	a.t.Helper()
	a.env.RegisterActivity(fn)
	v, err := a.env.ExecuteActivity(fn, input)
	if err == nil && into != nil {
		must(a.t, v.Get(into))
	}
	return err
}

// session runs RunAgent.
func (a *attempt) session(h *Sessions, in SessionInput) (res SessionResult, err error) {
	a.t.Helper()
	err = a.run(h.RunAgent, in, &res)
	return res, err
}

// InterceptActivity is called by the SDK.
func (a *attempt) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &spyIn{interceptor.ActivityInboundInterceptorBase{Next: next}, a}
}

type spyIn struct {
	interceptor.ActivityInboundInterceptorBase
	a *attempt
}

func (s *spyIn) Init(next interceptor.ActivityOutboundInterceptor) error {
	return s.Next.Init(&spyOut{interceptor.ActivityOutboundInterceptorBase{Next: next}, s.a})
}

// spyOut sets the activity's heartbeat timeout, for which the environment has no setting.
type spyOut struct {
	interceptor.ActivityOutboundInterceptorBase
	a *attempt
}

func (s *spyOut) GetInfo(ctx context.Context) activity.Info {
	info := s.Next.GetInfo(ctx)
	info.HeartbeatTimeout = s.a.heartbeat
	info.Attempt = max(info.Attempt, s.a.number)
	if s.a.workflow != "" {
		info.WorkflowExecution.ID = s.a.workflow
	}
	return info
}

// server answers the calls of an attempt. Its zero value accepts every heartbeat and knows no workflow.
type server struct {
	mu     sync.Mutex
	says   error // to heartbeats
	info   *workflowpb.WorkflowExecutionInfo
	person func(signals.Question) signals.Answer // answers for the workflow of the task
}

// answers sets the answer to heartbeats.
func (s *server) answers(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = err
}

// knows sets what the server knows of the workflow.
func (s *server) knows(info *workflowpb.WorkflowExecutionInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info = info
}

// spyClient is the client of an attempt. It records each heartbeat.
type spyClient struct {
	client.Client
	server *server
	beats  chan<- []any
}

type attemptKey struct{}

func clientOf(ctx context.Context) client.Client {
	a := ctx.Value(attemptKey{}).(*attempt)
	return &spyClient{server: a.server, beats: a.beats}
}

func (c *spyClient) RecordActivityHeartbeat(ctx context.Context, _ []byte, details ...any) error {
	if ctx.Err() != nil { // a real client sends nothing on a context that has ended
		return ctx.Err()
	}
	c.beats <- details
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	return c.server.says
}

func (c *spyClient) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if c.server.info == nil {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: c.server.info}, nil
}

func (c *spyClient) UpdateWorkflow(_ context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	var q signals.Question
	if err := json.Unmarshal(o.Args[0].(json.RawMessage), &q); err != nil {
		return nil, err
	}
	return answered{Answer: c.server.person(q)}, nil
}

// answered is an update of a question that has its answer.
type answered struct {
	client.WorkflowUpdateHandle
	signals.Answer
}

func (a answered) Get(_ context.Context, into any) error {
	*into.(*signals.Answer) = a.Answer
	return nil
}

// applicationError returns the error that the workflow sees.
func applicationError(t testing.TB, err error) *temporal.ApplicationError {
	t.Helper()
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		t.Fatalf("got %T: %v; want an ApplicationError", err, err)
	}
	return app
}

// lastBeat returns the hint and the heartbeat in a stopping worker's error, as the workflow reads them.
func lastBeat(t testing.TB, err error) (hint string, b signals.Heartbeat) {
	t.Helper()
	must(t, applicationError(t, err).Details(&hint, &b))
	return hint, b
}
