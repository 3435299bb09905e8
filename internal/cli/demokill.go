package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// killing kills the demo's worker once, in the middle of an implementer's session, and checks what became of the task.
type killing struct {
	d      *demonstration
	screen *screen

	mu      sync.Mutex
	before  *signals.Status // what was finished when the worker was killed; nil until then
	session string          // the session that was cut off
	back    chan struct{}   // closed when the worker was started again
	err     error           // why it could not be; valid after back
}

// look kills the worker when an implementer's session is seen in the middle of its work.
func (k *killing) look(ctx context.Context, s snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := s.beat
	if k.before != nil || b == nil || s.status == nil || b.Role != task.Implementer || b.Tools < 1 {
		return
	}
	for _, known := range s.status.Sessions {
		if known.ID == b.Session && known.Outcome != "" {
			return // it has just ended
		}
	}
	before := *s.status
	before.Sessions = slices.Clone(s.status.Sessions)
	before.Commits = slices.Clone(s.status.Commits)
	k.before, k.session, k.back = &before, b.Session, make(chan struct{})
	pid := k.d.worker.cmd.Process.Pid
	k.d.worker.kill()
	k.screen.line(fmt.Sprintf("\n!!! kill -9 %d: the worker is dead, in the middle of session %d (%s, %s) !!!\n", pid, b.N, b.Role, count(b.Tools, "tool call")))
	go k.restart(ctx)
}

// restart starts another worker after a pause in which one can see that there is none.
func (k *killing) restart(ctx context.Context) {
	defer close(k.back)
	if !k.d.p.pause(ctx, restartPause) {
		return
	}
	if k.err = k.d.startWorker(ctx); k.err != nil {
		k.screen.line("longshift: " + k.err.Error())
		return
	}
	k.screen.line(fmt.Sprintf("another worker is up (pid %d); the task goes on\n", k.d.worker.cmd.Process.Pid))
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
	k.screen.line(fmt.Sprintf("\nChecked after the kill:\n  session %d (%s %s) was resumed: %s\n  %s finished before the kill, none of them ran again\n  %s made before the kill, all of them kept, none made twice",
		cut.N, cut.Role, cut.Deliverable, count(cut.Resumed, "time"), count(finished, "session"), count(len(k.before.Commits), "commit")))
	return nil
}

func sessionOf(status *signals.Status, id string) *signals.Session {
	for i := range status.Sessions {
		if status.Sessions[i].ID == id {
			return &status.Sessions[i]
		}
	}
	return nil
}

// sameSession compares what a client can see of a session. The zone of a time is no part of it.
func sameSession(a, b signals.Session) bool {
	a.Started, b.Started = a.Started.UTC(), b.Started.UTC()
	return a == b
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

// compareAfterKill lists what speaks against the promise: the session that was cut off went on by its own id, what had
// finished stayed as it was, and nothing came twice.
func compareAfterKill(before, after *signals.Status, cut string) []string {
	var problems []string
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if s := sessionOf(after, cut); s == nil {
		problem("the session that was cut off is gone")
	} else if s.Resumed < 1 {
		problem("session %d was not resumed", s.N)
	}
	for _, was := range before.Sessions {
		if was.Outcome == "" {
			continue
		}
		is := sessionOf(after, was.ID)
		if is == nil {
			problem("session %d, which had finished, is gone", was.N)
		} else if !sameSession(*is, was) {
			problem("session %d, which had finished, changed", was.N)
		}
	}
	ids, commits := map[string]bool{}, map[string]bool{}
	for _, s := range after.Sessions {
		if ids[s.ID] {
			problem("session %s is listed twice", s.ID)
		}
		ids[s.ID] = true
	}
	for i, c := range after.Commits {
		if commits[c.ID] {
			problem("commit %.10s is listed twice", c.ID)
		}
		commits[c.ID] = true
		if i < len(before.Commits) && c != before.Commits[i] {
			problem("commit %d changed from %.10s to %.10s", i+1, before.Commits[i].ID, c.ID)
		}
	}
	if len(after.Commits) < len(before.Commits) {
		problem("commits were lost: %d of %d are left", len(after.Commits), len(before.Commits))
	}
	return append(problems, repeated(before, after)...)
}

// repeated finds deliverables that had passed before the kill and were worked on again after it, under the same plan. A
// review may well ask for more work, but under a new one.
func repeated(before, after *signals.Status) []string {
	if before.Plan == nil || after.Plan == nil || before.Plan.Revision != after.Plan.Revision {
		return nil
	}
	var problems []string
	for _, d := range before.Plan.Deliverables {
		if d.Status != task.Passed {
			continue
		}
		was, is := sessionsFor(before, d.ID), sessionsFor(after, d.ID)
		if is > was {
			problems = append(problems, fmt.Sprintf("%s had passed, and was worked on again (%d sessions before, %d after)", d.ID, was, is))
		}
	}
	return problems
}

func sessionsFor(status *signals.Status, deliverable string) int {
	n := 0
	for _, s := range status.Sessions {
		if s.Deliverable == deliverable {
			n++
		}
	}
	return n
}
