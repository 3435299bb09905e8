package activities

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
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
	workflow  string        // id of the workflow; the environment's own when empty
	beats     chan []any    // details of every heartbeat

	mu     sync.Mutex
	cancel context.CancelCauseFunc
}

func newAttempt(t testing.TB, r *redact.Redactor) *attempt {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(tlog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	a := &attempt{t: t, env: suite.NewTestActivityEnvironment(), stop: make(chan struct{}), beats: make(chan []any, 10_000)}
	ctx, cancel := context.WithCancelCause(context.Background())
	t.Cleanup(func() { cancel(nil) })
	a.cancel = cancel
	a.env.SetWorkerStopChannel(a.stop)
	a.env.SetWorkerOptions(worker.Options{
		BackgroundActivityContext: ctx, Interceptors: []interceptor.WorkerInterceptor{&Interceptor{Redact: r}, a},
	})
	return a
}

// attempt makes one for the bench's host.
func (b *bench) attempt() *attempt { return newAttempt(b.t, b.Redact) }

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
func (a *attempt) session(h *Host, in SessionInput) (res SessionResult, err error) {
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

// spyOut gives the activity a heartbeat timeout, which the environment has no setting for, and sees each heartbeat.
type spyOut struct {
	interceptor.ActivityOutboundInterceptorBase
	a *attempt
}

func (s *spyOut) GetInfo(ctx context.Context) activity.Info {
	info := s.Next.GetInfo(ctx)
	info.HeartbeatTimeout = s.a.heartbeat
	if s.a.workflow != "" {
		info.WorkflowExecution.ID = s.a.workflow
	}
	return info
}

func (s *spyOut) RecordHeartbeat(ctx context.Context, details ...any) {
	if ctx.Err() == nil { // the SDK sends none on a context that has ended
		s.a.beats <- details
	}
	s.Next.RecordHeartbeat(ctx, details...)
}

// applicationError gives the error that the workflow sees.
func applicationError(t testing.TB, err error) *temporal.ApplicationError {
	t.Helper()
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		t.Fatalf("got %T: %v; want an ApplicationError", err, err)
	}
	return app
}

// lastBeat gives hint and beat of a stopping worker's error, as the workflow reads them.
func lastBeat(t testing.TB, err error) (hint string, b signals.Beat) {
	t.Helper()
	must(t, applicationError(t, err).Details(&hint, &b))
	return hint, b
}
