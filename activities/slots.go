package activities

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

const (
	// LongestWait is how long a step waits for a slot of its host before the activity fails and is scheduled again.
	LongestWait = 24 * time.Hour
	// Overtime is how long a step may hold a slot beyond the time limit of its program: for git, and for ending remaining processes.
	Overtime = 10 * time.Minute
)

// Precedence orders the steps that wait for a slot: the lowest rank first, and within a rank the oldest task. So new tasks don't delay
// tasks that are nearly done.
type Precedence struct {
	Rank  Rank      `json:"rank"`
	Since time.Time `json:"since,omitzero"` // start of the task
}

// Rank is how far a task has come, the nearest to its end first.
type Rank int

const (
	Finishing Rank = iota // the work is written; check and review remain
	Working               // it has a plan
	Beginning
)

func (p Precedence) before(q Precedence) bool {
	if p.Rank != q.Rank {
		return p.Rank < q.Rank
	}
	return p.Since.Before(q.Since)
}

// slots are the host's capacity for agents and commands. Steps wait for one here and not on the server, so that Precedence holds and the
// waiting steps send heartbeats: the loss of the host is noticed as soon as for a running step.
type slots struct {
	limit int // 0 for none

	mu    sync.Mutex
	used  int
	queue []*waiter // in the order in which they get a slot
}

type waiter struct {
	Precedence
	granted chan struct{} // closed when it has a slot
}

// wait waits for a slot, which the caller holds until release. It calls waits when no slot is free.
func (s *slots) wait(ctx context.Context, p Precedence, waits func()) error {
	s.mu.Lock()
	if s.limit == 0 || s.used < s.limit {
		s.used++
		s.mu.Unlock()
		return nil
	}
	w := &waiter{p, make(chan struct{})}
	at := slices.IndexFunc(s.queue, func(other *waiter) bool { return p.before(other.Precedence) })
	if at < 0 {
		at = len(s.queue)
	}
	s.queue = slices.Insert(s.queue, at, w)
	s.mu.Unlock()
	waits()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	at = slices.Index(s.queue, w)
	if at >= 0 {
		s.queue = slices.Delete(s.queue, at, at+1)
	}
	s.mu.Unlock()
	if at < 0 { // it got a slot at that moment
		s.release()
	}
	return ctx.Err()
}

// release passes the slot to the first waiter, if there is one.
func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.used--
		return
	}
	close(s.queue[0].granted)
	s.queue = slices.Delete(s.queue, 0, 1)
}

// take waits for a slot until the activity is to stop, at most for LongestWait. Meanwhile its heartbeats say that it waits.
func (s *slots) take(ctx context.Context, p Precedence) error {
	waiting, stop := untilStopping(ctx)
	defer stop()
	waiting, cancel := context.WithTimeoutCause(waiting, LongestWait, errNoSlot)
	defer cancel()
	if err := s.wait(waiting, p, func() { heartbeatNow(ctx, signals.Heartbeat{Waiting: true}) }); err != nil {
		if errors.Is(context.Cause(waiting), errNoSlot) {
			return errNoSlot
		}
		return interrupted(waiting)
	}
	setHeartbeatDetails(ctx, nil)
	return nil
}

// acquire waits for a slot, and returns the context of the step that holds it. The context ends after wall and Overtime.
func (s *slots) acquire(ctx context.Context, p Precedence, wall time.Duration) (context.Context, func(), error) {
	if err := s.take(ctx, p); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wall+Overtime)
	return ctx, func() { cancel(); s.release() }, nil
}

var errNoSlot = fault.New(fault.Infra, "no slot of this host was free for %s", LongestWait).
	WithHint("give it more with LONGSHIFT_SLOTS, or add a host")
