package dev

import (
	"context"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/cli/child"
	"github.com/longshift/longshift/internal/cli/term"
)

// keepUp starts each child that has ended again, a little later each time, until ctx ends. Each has delays of its own, and none waits for
// another: a server is not left down while the worker waits for its restart.
func (s *stack) keepUp(ctx context.Context, say func(format string, args ...any)) {
	var children sync.WaitGroup
	children.Go(func() { s.worker = s.keepOneUp(ctx, s.worker, say) })
	if s.server != nil { // otherwise it is not ours
		children.Go(func() { s.server = s.keepOneUp(ctx, s.server, say) })
	}
	children.Wait()
}

// keepOneUp returns the child that was started last.
func (s *stack) keepOneUp(ctx context.Context, c *child.Child, say func(format string, args ...any)) *child.Child {
	var delays backoff
	for {
		select {
		case <-ctx.Done():
			return c
		case <-c.Exited():
			c = s.again(ctx, c, &delays, say)
		}
	}
}

// afterStop says what becomes of running tasks when everything has been stopped.
func (s *stack) afterStop() string {
	if s.forgets {
		return "running tasks are lost, because with --ephemeral the server keeps nothing"
	}
	return "running tasks continue at the next start"
}

// again says that a child has ended and starts it again after a while. When ctx ends first it returns the one that ended.
func (s *stack) again(ctx context.Context, c *child.Child, delays *backoff, say func(format string, args ...any)) *child.Child {
	how, lost := c.Ended(), "no task is lost"
	if c.Name == serverName && s.forgets {
		lost = "its tasks are lost, because with --ephemeral it keeps nothing"
	}
	for {
		if ctx.Err() != nil {
			return c
		}
		wait := delays.next(s.clock.Now())
		say("the %s has ended (%s); starting it again in %s; %s", c.Name, how, term.Duration(wait), lost)
		if !s.clock.Pause(ctx, wait) {
			return c
		}
		next, err := c.Again(s.line)
		if err == nil {
			return next
		}
		how = err.Error()
	}
}

// backoff is the wait before a restart: 1 s, doubled with every restart within a minute of the last, at most 30 s.
type backoff struct {
	last time.Time
	wait time.Duration
}

func (b *backoff) next(now time.Time) time.Duration {
	if now.Sub(b.last) > time.Minute {
		b.wait = 0
	}
	b.last = now
	b.wait = min(max(2*b.wait, time.Second), 30*time.Second)
	return b.wait
}
