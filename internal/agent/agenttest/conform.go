package agenttest

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// promise is something that every driver keeps.
type promise struct {
	name  string
	says  string // for people, of the agent
	check func(*testing.T, Factory)
}

// promises are all, in the order of the page about agents.
var promises = []promise{
	{"completes", "edits files, runs commands, and ends by itself", completes},
	{"answers", "hands in a plan in a form that is checked", answers},
	{"asks about each call once", "asks before each write and each command, once", asksOnce},
	{"makes no call that is refused", "goes on after a refusal, and is told the reason", refuses},
	{"makes no call without a permit", "makes no call that nobody allows", needsPermit},
	{"makes no call while nobody answers", "waits for the answer, and makes no call without it", waitsForAnswer},
	{"makes no call when time runs out", "makes no call that is allowed too late", waitsInVain},
	{"changes a call", "makes a call as it was changed by the answer", changesCalls},
	{"ends by a decision", "stops where a person is asked, and goes on there", endsByDecision},
	{"passes on what people say", "is told the comment with which a person allows a call", passesOn},
	{"keeps the key", "keeps what it reaches its model with out of the environment of its commands", keepsKey},
	{"only reads", "cannot write when it plans or reviews", onlyReads},
	{"is interrupted", "stops when the task is stopped, and leaves no process", isInterrupted},
	{"is stopped before it starts", "does not begin when it is stopped first", isStoppedEarly},
	{"runs out of time", "stops when its time is used up", runsOutOfTime},
	{"starts afresh", "begins a session that was to be resumed and never was", startsAfresh},
	{"goes on after a crash", "goes on with the same conversation after kill -9, and does nothing twice", goesOn},
}

// Driver is what a driver says of itself in the suite. A text says what the agent does instead of keeping the promise as it stands.
type Driver struct {
	Agent   string // its name in the configuration
	Version string // of the binary, "" for none
	Fixed   string // it makes calls as the model has written them, or not at all
	Silent  string // it does not tell what a turn has used that was broken off
	NoCrash string // it has no process that could die alone
	Token   string // its commands see what it reaches its model with
	Untold  string // it can't tell its model the comment with which a person allows a call
}

// Conform checks that a driver satisfies the contract of agent.Agent, and that the page about agents says so. It sets the sessions' permit
// itself.
func Conform(t *testing.T, d Driver, make Factory) {
	make = permitted(make)
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			p.check(t, func(t *testing.T, role task.Role, steps ...Step) Fixture {
				f := make(t, role, steps...)
				f.driver = d
				return f
			})
		})
	}
	conforms(t, d)
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
