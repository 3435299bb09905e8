package cli

import (
	"context"
	"time"
)

// keepUp starts a child that has ended again, a little later each time, until ctx ends.
func (s *stack) keepUp(ctx context.Context) {
	var delays backoff
	for {
		var gone <-chan struct{} // never, when the server is not ours
		if s.server != nil {
			gone = s.server.done
		}
		select {
		case <-ctx.Done():
			return
		case <-s.worker.done:
			s.worker = s.again(ctx, s.worker, &delays)
		case <-gone:
			s.server = s.again(ctx, s.server, &delays)
		}
	}
}

// again says that a child has ended and starts it again after a while. When ctx ends first it gives the one that ended.
func (s *stack) again(ctx context.Context, c *child, delays *backoff) *child {
	how := c.ended()
	for {
		if ctx.Err() != nil {
			return c
		}
		wait := delays.next(s.p.clock.now())
		s.p.say("the %s has ended (%s); starting it again in %s; no task is lost", c.name, how, duration(wait))
		if !s.p.pause(ctx, wait) {
			return c
		}
		next, err := startChild(c.name, c.cmd.Path, c.cmd.Args[1:], c.cmd.Env, s.line)
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
