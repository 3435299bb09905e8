package activities

import (
	"context"
	"os/exec"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// The session begins at the moment when its prestarted agent is dropped, by the timer and by the end of the task. It gets either the agent
// with its endpoint, or an endpoint of its own after the agent has ended.
func TestDropAheadWhileTheSessionComes(t *testing.T) {
	t.Parallel()
	w := newWarmer(says("ok"))
	b := newBench(t, map[string]agent.Agent{"script": w})
	b.useModel(replies)
	b.prepare()
	forks(t)
	taken, own := 0, 0
	for i := range 80 {
		in := b.session(task.Implementer, "script")
		endpoint, prestarted := b.raceForSession(in, i%2 == 0)
		_, waits := w.waits(in.ID)
		if waits != prestarted {
			t.Fatalf("the session has the prestarted endpoint: %v; its agent waits: %v", prestarted, waits)
		}
		if prestarted {
			taken++
			w.Cool(in.ID) // as its run would use it up
		} else {
			own++
		}
		endpoint.close()
		b.free(in)
	}
	if _, _, wrong := w.counts(); len(wrong) > 0 {
		t.Error(wrong)
	}
	if taken == 0 || own == 0 {
		t.Errorf("%d prestarted endpoints were taken, %d sessions opened their own: there was no race", taken, own)
	}
}

// forks starts processes all the time: a child that is being started has all our files open, locked ones too.
func forks(t *testing.T) {
	t.Helper()
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	wg.Go(func() {
		for ctx.Err() == nil {
			_ = exec.CommandContext(ctx, "/bin/true").Run()
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
}

// raceForSession prestarts an agent, then drops it twice and hands it over at the same time, after it has started or while it starts. It
// returns the session's endpoint, and whether it is that of the prestarted agent.
func (b *bench) raceForSession(in SessionInput, started bool) (ends *endpoints, prestarted bool) {
	b.t.Helper()
	rec, err := openRecord(b.Data, in)
	must(b.t, err)
	b.prestarter.start(b.t.Context(), &in)
	if started {
		b.prestarted(in.ID)
	}
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, drop := range []func(){func() { b.prestarter.drop(in.ID) }, func() { b.forget(in.TaskID) }} {
		all.Go(func() { <-start; drop() })
	}
	all.Go(func() {
		<-start
		if ends = b.prestarter.handOver(in.ID, in.Agent); ends != nil {
			prestarted = true
			return
		}
		if ends, err = b.launcher.open(in, rec); err != nil {
			b.t.Errorf("kind %s: %v", fault.KindOf(err), err)
		}
	})
	close(start)
	all.Wait()
	if ends == nil {
		b.t.FailNow()
	}
	return ends, prestarted
}
