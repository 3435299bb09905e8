package workflows_test

import (
	"testing"
	"time"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// asks keeps the options of the activities that workflows ask for.
type asks struct {
	interceptor.WorkerInterceptorBase
	interceptor.WorkflowInboundInterceptorBase
	interceptor.WorkflowOutboundInterceptorBase
	seen map[string][]workflow.ActivityOptions // by type
}

func (a *asks) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	a.WorkflowInboundInterceptorBase.Next = next
	return a
}

func (a *asks) Init(next interceptor.WorkflowOutboundInterceptor) error {
	a.WorkflowOutboundInterceptorBase.Next = next
	return a.WorkflowInboundInterceptorBase.Next.Init(a)
}

func (a *asks) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	a.seen[name] = append(a.seen[name], workflow.GetActivityOptions(ctx))
	return a.WorkflowOutboundInterceptorBase.Next.ExecuteActivity(ctx, name, args...)
}

func (w *world) asks() *asks {
	a := &asks{seen: map[string][]workflow.ActivityOptions{}}
	options := workflows.Patient
	options.Interceptors = []interceptor.WorkerInterceptor{a}
	w.env.SetWorkerOptions(options)
	return a
}

// However often a host has answered that it lives, its loss is noticed after one probe when a step of it is not taken, and after one
// heartbeat when it is.
func TestALostHostIsNoticedAtOnceHoweverLongItWasBusy(t *testing.T) {
	w := newWorld(t)
	w.hosts = []string{"alpha", "beta"}
	asked, tries := w.asks(), 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && in.Fence == 1 {
			tries++
			return activities.SessionResult{}, unanswered()
		}
		return activities.SessionResult{}, nil
	}
	w.probe = func() error {
		if tries < 12 {
			return nil
		}
		return unanswered()
	}
	if s := w.start(t); s.Outcome != task.PullRequest || s.Host != "beta" || tries != 12 {
		t.Errorf("outcome %s on %s after %d tries", s.Outcome, s.Host, tries)
	}
	for name, all := range asked.seen {
		for i, o := range all {
			host := o.TaskQueue != signals.Queue && o.TaskQueue != signals.QueueHosts
			if host && (o.ScheduleToStartTimeout != time.Second || name != "Probe" && o.HeartbeatTimeout != time.Second) { // as the world's hosts say
				t.Errorf("%s, ask %d: it may lie untaken for %s and be silent for %s", name, i+1, o.ScheduleToStartTimeout, o.HeartbeatTimeout)
			}
		}
	}
}

// A step that waits for a slot kills no worker: however often its worker is killed meanwhile, nobody is asked.
func TestWorkersLostWhileAStepWaitsAreNoFaultOfTheStep(t *testing.T) {
	w := newWorld(t)
	cuts := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && cuts < 60 {
			cuts++
			return activities.SessionResult{}, temporal.NewHeartbeatTimeoutError(signals.Heartbeat{Waiting: true})
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		t.Errorf("after %d cuts: %s", cuts, w.status(t).Detail)
		w.env.CancelWorkflow()
	}, 6*time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || s.Usage.CostUSD > 0.05 {
		t.Errorf("outcome %s, $%v", s.Outcome, s.Usage.CostUSD)
	}
}

// A task's claim to a slot grows with what it has done.
func TestPrecedenceFollowsTheWork(t *testing.T) {
	w := newWorld(t)
	s := w.start(t)
	var got []activities.Rank
	for _, in := range w.asked {
		got = append(got, in.Precedence.Rank)
		if !in.Precedence.Since.Equal(s.Started) {
			t.Errorf("session %d: since %s, want %s", in.N, in.Precedence.Since, s.Started)
		}
	}
	want := []activities.Rank{activities.Beginning, activities.Working, activities.Working, activities.Finishing}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("ranks %v, want %v", got, want)
		}
	}
}
