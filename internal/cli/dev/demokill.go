package dev

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/cli/child"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// killing kills the demo's worker once, in the middle of an implementer's session, and checks what became of the task.
type killing struct {
	stack  *stack
	screen *term.Screen
	fail   context.CancelCauseFunc // ends the demo, because something broke

	mu      sync.Mutex
	before  *signals.Status // what was finished when the worker was killed; nil until then
	session string          // the session that was cut off
	back    chan struct{}   // closed when another worker is up, or can't be
	victim  *child.Child    // the worker that was killed
}

// mourn ends the demo when a child has ended that the demo did not kill: without it the task would wait for ever.
func (k *killing) mourn(c *child.Child) {
	<-c.Exited()
	k.mu.Lock()
	defer k.mu.Unlock()
	if c != k.victim {
		k.fail(fault.New(fault.Infra, "the %s has ended: %s", c.Name, c.Ended()))
	}
}

// look kills the worker when an implementer's session is seen in the middle of its work.
func (k *killing) look(ctx context.Context, s tasks.Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := s.Beat
	if k.before != nil || b == nil || s.Status == nil || b.Role != task.Implementer || b.Tools < 1 {
		return
	}
	for _, known := range s.Status.Sessions {
		if known.ID == b.Session && known.Outcome != "" {
			return // it has just ended
		}
	}
	before := *s.Status
	before.Sessions = slices.Clone(s.Status.Sessions)
	before.Commits = slices.Clone(s.Status.Commits)
	k.before, k.session, k.back = &before, b.Session, make(chan struct{})
	k.victim = k.stack.worker
	pid := k.victim.Pid()
	k.victim.Kill()
	k.screen.Line(fmt.Sprintf("\n!!! kill -9 %d: the worker is dead, in the middle of session %d (%s, %s) !!!\n",
		pid, b.N, b.Role, term.Count(b.Tools, "tool call")))
	go k.restart(ctx)
}

// restart starts another worker after a pause in which one can see that there is none.
func (k *killing) restart(ctx context.Context) {
	defer close(k.back)
	if !k.stack.clock.Pause(ctx, restartPause) {
		return
	}
	if err := k.stack.startWorker(ctx); err != nil {
		k.fail(err)
		return
	}
	go k.mourn(k.stack.worker)
	k.screen.Line(fmt.Sprintf("another worker is up (pid %d); the task continues\n", k.stack.worker.Pid()))
}

// verdict checks the last status against the one at the moment of the kill, and says what it found.
func (k *killing) verdict(after *signals.Status) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.before == nil {
		return fault.New(fault.Work, "no session was caught in the middle of its work; nothing was killed").WithHint("run it again")
	}
	<-k.back
	if problems := compareAfterKill(k.before, after, k.session); len(problems) > 0 {
		return fault.New(fault.Work, "after the kill:\n  %s", strings.Join(problems, "\n  "))
	}
	cut := sessionOf(after, k.session)
	finished := 0
	for _, s := range k.before.Sessions {
		if s.Outcome != "" {
			finished++
		}
	}
	k.screen.Line(fmt.Sprintf("\nChecked after the kill:\n  session %d (%s %s) was resumed: %s\n"+
		"  %s finished before the kill, none of them ran again\n  %s made before the kill, all of them kept, none made twice",
		cut.N, cut.Role, cut.Deliverable, term.Count(cut.Resumed, "time"), term.Count(finished, "session"),
		term.Count(len(k.before.Commits), "commit")))
	return nil
}

// wait returns when no restart is under way.
func (k *killing) wait() {
	k.mu.Lock()
	back := k.back
	k.mu.Unlock()
	if back != nil {
		<-back
	}
}
