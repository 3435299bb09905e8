package activities

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// A host has only a few prestarted agents. The oldest ends first, before the new one starts.
func TestFewAgentsAreStartedAhead(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("ok"))
	var all []SessionInput
	for range mostPrestarted + 3 {
		in := b.session(task.Implementer, "script")
		b.prestarter.start(t.Context(), &in)
		b.prestarted(in.ID)
		all = append(all, in)
	}
	for i, in := range all {
		if _, waits := w.waits(in.ID); waits != (i >= 3) {
			t.Errorf("agent %d of %d waits: %v", i+1, len(all), waits)
		}
	}
	burst := slices.Clone(all[:3]) // started at once
	for i := range burst {
		b.prestarter.start(t.Context(), &burst[i])
	}
	if b.prestarted(burst[2].ID); w.most() > mostPrestarted {
		t.Errorf("there were %d at a time, want %d at most", w.most(), mostPrestarted)
	}
	if _, waits := w.waits(burst[2].ID); !waits {
		t.Error("the newest is not there")
	}
	early := b.session(task.Implementer, "script")
	b.prestarter.startEarly(t.Context(), &early)
	if b.prestarted(early.ID) != nil {
		t.Error("an agent that is not needed yet has ended another")
	}
	b.forget(b.ref.TaskID)
	b.free(all[0])
}

// A session does not wait for another task's agent that has to end before its own starts.
func TestSessionWaitsForNoOtherTask(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("ok"))
	slow, other, mine := b.session(task.Implementer, "script"), b.session(task.Implementer, "script"), b.session(task.Implementer, "script")
	until := make(chan struct{})
	w.slow = map[string]chan struct{}{slow.ID: until}
	b.prestarter.start(t.Context(), &slow)
	b.prestarter.start(t.Context(), &other)
	b.prestarted(other.ID)
	b.prestarter.start(t.Context(), &mine) // once the slow one, the oldest, has ended
	done := make(chan SessionResult)
	go func() {
		res, err := b.attempt().session(b.Sessions, mine)
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	if res := await(t, done, "the session has ended"); res.Kind != agent.Completed {
		t.Errorf("the session: %+v", res)
	}
	close(until)
	b.forget(b.ref.TaskID)
	eventually(t, "nothing is left", func() bool {
		b.prestarter.mu.Lock()
		defer b.prestarter.mu.Unlock()
		return len(b.prestarter.sessions) == 0
	})
	if _, waits := w.waits(mine.ID); waits {
		t.Error("the session has a second agent")
	}
	b.free(slow)
}

// Without the server the session does not come soon, so its agent is not prestarted.
func TestNothingAheadWithoutTheServer(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("ok"))
	b.worker.Alone = time.Hour
	in := b.session(task.Implementer, "script")
	a := b.attempt()
	a.heartbeat = time.Second
	a.server.answers(silent)
	must(t, a.run(func(ctx context.Context, _ int) error {
		eventually(t, "the host is out of touch", func() bool { return outOfTouch(ctx) })
		b.prestarter.start(ctx, &in)
		return nil
	}, 1, nil))
	if n, _, _ := w.counts(); n != 0 || b.prestarted(in.ID) != nil {
		t.Error("an agent was started")
	}
	b.free(in)
}

// When memory is short no agent is prestarted.
func TestNothingAheadWhenMemoryIsShort(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("ok"))
	free, known := int64(leastFree-1), true
	b.FreeMemory = func() (int64, bool) { return free, known }
	b.start()
	in := b.session(task.Implementer, "script")
	b.prestarter.start(t.Context(), &in)
	if n, _, _ := w.counts(); n != 0 || b.prestarted(in.ID) != nil {
		t.Error("an agent was started")
	}
	res, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if res.Kind != agent.Completed {
		t.Errorf("the session itself: %+v", res)
	}
	for _, enough := range []func(){func() { free = leastFree }, func() { free, known = 0, false }} {
		enough()
		next := b.session(task.Implementer, "script")
		b.prestarter.start(t.Context(), &next)
		if b.prestarted(next.ID) == nil {
			t.Errorf("%d bytes, known %v: nothing was started", free, known)
		}
	}
	b.forget(b.ref.TaskID)
	b.free(in)
}
