package activities

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A slot goes to the waiter whose task has come furthest, then to the oldest task, and not by the time of the request. One that gives up
// gets none.
func TestSlotsGoToTheTaskNearestToItsEnd(t *testing.T) {
	t.Parallel()
	s := slots{limit: 2}
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	must(t, s.wait(t.Context(), Precedence{Beginning, day}, func() { t.Error("the first had to wait") }))
	must(t, s.wait(t.Context(), Precedence{Beginning, day}, func() { t.Error("the second had to wait") }))
	got := make(chan string)
	ask := func(ctx context.Context, name string, p Precedence) (left chan error) {
		waits := make(chan struct{})
		left = make(chan error, 1)
		go func() {
			if err := s.wait(ctx, p, func() { close(waits) }); err != nil {
				left <- err
				return
			}
			got <- name
		}()
		await(t, waits, name+" waits")
		return left
	}
	ask(t.Context(), "new, late", Precedence{Beginning, day.Add(2 * time.Hour)})
	ask(t.Context(), "new, early", Precedence{Beginning, day})
	ask(t.Context(), "works, late", Precedence{Working, day.Add(3 * time.Hour)})
	ask(t.Context(), "review, latest", Precedence{Finishing, day.Add(9 * time.Hour)})
	ask(t.Context(), "works, early", Precedence{Working, day})
	ask(t.Context(), "works, early, asked later", Precedence{Working, day})
	ctx, cancel := context.WithCancel(t.Context())
	left := ask(ctx, "gives up", Precedence{Finishing, day})
	cancel()
	if err := await(t, left, "it leaves"); err != context.Canceled {
		t.Error(err)
	}
	for _, want := range []string{"review, latest", "works, early", "works, early, asked later", "works, late", "new, early", "new, late"} {
		s.release()
		if name := await(t, got, want); name != want {
			t.Errorf("%q got the slot, want %q", name, want)
		}
	}
	s.release()
	s.release()
	if s.used != 0 || len(s.queue) != 0 {
		t.Errorf("%d slots are used and %d wait", s.used, len(s.queue))
	}
}

// A waiter that gives up at the moment when it gets its slot releases it.
func TestSlotsSurviveThoseThatLeave(t *testing.T) {
	t.Parallel()
	s := slots{limit: 1}
	for range 200 {
		must(t, s.wait(t.Context(), Precedence{}, nil))
		ctx, cancel := context.WithCancel(t.Context())
		if s.wait(ctx, Precedence{}, func() { cancel(); s.release() }) == nil {
			s.release()
		}
		if s.used != 0 || len(s.queue) != 0 {
			t.Fatalf("%d slots are used and %d wait", s.used, len(s.queue))
		}
	}
}

// Agents and commands share the slots of their host. A step that waits sends heartbeats that say so, and ends when the worker stops.
func TestStepsWaitForASlotAndBeat(t *testing.T) {
	t.Parallel()
	runs, goOn := make(chan string, 10), make(chan struct{})
	release := sync.OnceFunc(func() { close(goOn) })
	b := newBench(t, map[string]agent.Agent{"script": &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		runs <- s.ID
		select {
		case <-goOn:
		case <-ctx.Done():
			return agent.Outcome{}, ctx.Err()
		}
		return agent.Outcome{Kind: agent.Completed}, nil
	}}})
	b.Slots = 1
	b.start()
	b.prepare()
	var all sync.WaitGroup
	defer all.Wait()
	defer release()
	first := b.session(task.Implementer, "script")
	all.Go(func() {
		if _, err := b.attempt().session(b.Sessions, first); err != nil {
			t.Error(err)
		}
	})
	await(t, runs, "the first runs")

	waiting := func(what string, run func(*attempt) error) (a *attempt, done chan error) {
		a, done = b.attempt(), make(chan error, 1)
		a.heartbeat = 20 * time.Millisecond
		go func() { done <- run(a) }()
		beat := await(t, a.beats, what+" beats")
		for len(beat) == 0 { // it sends heartbeats from its start, before it waits
			beat = await(t, a.beats, what+" beats")
		}
		if fmt.Sprint(beat) != fmt.Sprint([]any{signals.Heartbeat{Waiting: true}}) {
			t.Errorf("%s says %+v", what, beat)
		}
		await(t, a.beats, what+" goes on beating")
		return a, done
	}
	next := b.session(task.Implementer, "script")
	stopped, done := waiting("a session", func(a *attempt) error { _, err := a.session(b.Sessions, next); return err })
	close(stopped.stop)
	if hint, beat := lastBeat(t, await(t, done, "it hands the step back")); !beat.Waiting || hint != "" {
		t.Errorf("it says %+v (%s)", beat, hint)
	}
	for kind, run := range map[string]any{"setup": b.RunSetup, "check": b.RunChecks} {
		a, done := waiting(kind, func(a *attempt) error {
			return a.run(run, CommandInput{Ref: b.ref, N: 1, Command: "true", Wall: time.Minute}, nil)
		})
		a.cancel(context.Canceled)
		if err := await(t, done, kind+" leaves"); err == nil {
			t.Errorf("%s ran without a slot", kind)
		}
	}
	_, done = waiting("the session again", func(a *attempt) error { _, err := a.session(b.Sessions, next); return err })
	release()
	if id := await(t, runs, "the second runs"); id != next.ID {
		t.Errorf("session %s runs", id)
	}
	must(t, await(t, done, "the second ends"))
}

// A step that holds a slot longer than its program may run is ended.
func TestASlotIsHeldNoLongerThanItsProgramMayRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	a := b.attempt()
	var left time.Duration
	must(t, a.run(func(ctx context.Context, in CommandInput) error {
		ctx, release, err := b.slots.acquire(ctx, in.Precedence, in.Wall)
		if err != nil {
			return err
		}
		defer release()
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
		return nil
	}, CommandInput{Wall: time.Minute - Overtime}, nil)) // the environment has a deadline of its own
	if left > time.Minute {
		t.Errorf("it may hold the slot for %s", left)
	}
}
