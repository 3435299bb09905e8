package agenttest

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// Conform checks that a driver satisfies the contract of agent.Agent. It sets the sessions' permit itself.
func Conform(t *testing.T, make Factory) {
	make = permitted(make)
	for name, check := range map[string]func(*testing.T, Factory){
		"completes": completes, "answers": answers, "only reads": onlyReads, "is interrupted": isInterrupted,
		"is stopped before it starts": isStoppedEarly, "runs out of time": runsOutOfTime, "starts afresh": startsAfresh,
		"goes on after a crash": goesOn, "asks about each call once": asksOnce, "makes no call that is refused": refuses,
		"makes no call without a permit": needsPermit, "makes no call while nobody answers": waitsForAnswer,
		"makes no call when time runs out": waitsInVain, "ends by a decision": endsByDecision, "changes a call": changesCalls,
	} {
		t.Run(name, func(t *testing.T) { check(t, make) })
	}
}

// permitted allows a factory's sessions everything inside their workspace.
func permitted(make Factory) Factory {
	return func(t *testing.T, role task.Role, steps ...Step) Fixture {
		f := make(t, role, steps...)
		f.Session.Permit = Inside(f.Session)
		return f
	}
}

// recorder collects events and notes those that come too early or too late.
type recorder struct {
	events []agent.Event
	over   atomic.Bool
	late   atomic.Int32
}

func (r *recorder) emit(e agent.Event) {
	if r.over.Load() {
		r.late.Add(1)
		return
	}
	r.events = append(r.events, e)
}

// run runs the session and checks what holds for every run.
func (f Fixture) run(ctx context.Context, t *testing.T) (agent.Outcome, []agent.Event) {
	t.Helper()
	r := &recorder{}
	o, err := f.Agent.Run(ctx, f.Session, r.emit)
	r.over.Store(true)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if left := Processes(t, f.Session.ID); left != nil {
		t.Errorf("processes are left: %v", left)
	}
	if n := r.late.Load(); n > 0 {
		t.Errorf("%d events came after the end", n)
	}
	ordered(t, r.events)
	return o, r.events
}

// ordered checks that the start event comes first, that results follow their calls, and that times do not decrease.
func ordered(t *testing.T, events []agent.Event) {
	t.Helper()
	open := map[string]bool{}
	for i, e := range events {
		switch {
		case e.Time.IsZero() || i > 0 && e.Time.Before(events[i-1].Time):
			t.Errorf("event %d is of %s", i, e.Time)
		case (e.Kind == agent.Started) != (i == 0):
			t.Errorf("event %d is %q", i, e.Kind)
		case e.Kind == agent.ToolCall:
			open[e.ID] = true
		case e.Kind == agent.ToolResult && !open[e.ID]:
			t.Errorf("event %d is a result of %q, which was not called", i, e.ID)
		case e.Kind == agent.ToolResult:
			delete(open, e.ID)
		}
	}
}

func texts(events []agent.Event) (all []string) {
	for _, e := range events {
		if e.Kind == agent.Text {
			all = append(all, e.Text)
		}
	}
	return all
}
