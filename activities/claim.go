package activities

import (
	"context"
	"sync"
)

// claims holds the attempts that run in this process, one per session.
type claims struct {
	mu      sync.Mutex
	running map[string]*claim
}

type claim struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// claim makes this attempt the only one of its session here. An earlier one, which the server has given up while this process
// did not notice (a stall of the network, a machine that slept), is stopped first and keeps no result that is not complete.
func (h *Host) claim(ctx context.Context, id string) (context.Context, func(), error) {
	for {
		h.claims.mu.Lock()
		other := h.claims.running[id]
		if other == nil {
			ctx, cancel := context.WithCancelCause(ctx)
			c := &claim{cancel: cancel, done: make(chan struct{})}
			if h.claims.running == nil {
				h.claims.running = map[string]*claim{}
			}
			h.claims.running[id] = c
			h.claims.mu.Unlock()
			return ctx, func() { h.release(id, c) }, nil
		}
		h.claims.mu.Unlock()
		other.cancel(errStopping)
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (h *Host) release(id string, c *claim) {
	h.claims.mu.Lock()
	delete(h.claims.running, id)
	h.claims.mu.Unlock()
	c.cancel(nil)
	close(c.done)
}
