package github

import (
	"context"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

const (
	// looksAtOnce is how many pull requests this process reads at a time. After an outage all of them are to be read together. Side by side
	// they would share what GitHub takes in a minute, so that each gets a part of its requests through, meets the limit, and begins anew.
	looksAtOnce = 10
	// mostWaiting is how many more wait for their turn. Each sends heartbeats meanwhile, which hundreds together would make a load of.
	mostWaiting = 2 * looksAtOnce
	// lookTakes is the time of a look, roughly: any others come again by it, one after the other.
	lookTakes = time.Second
)

// looks are the pull requests that are read now, and those that wait for it.
type looks struct {
	turns chan struct{}

	mu      sync.Mutex
	waiting int
	next    time.Time // when the last one that was sent away comes again
}

func newLooks() *looks { return &looks{turns: make(chan struct{}, looksAtOnce)} }

// begin waits until a pull request may be read, and fails with the time to come again where too many wait already. The caller calls end when
// it has been read.
func (l *looks) begin(ctx context.Context, now time.Time) (end func(), err error) {
	l.mu.Lock()
	if l.waiting == mostWaiting {
		defer l.mu.Unlock()
		if l.next.Before(now) {
			l.next = now.Add(lookTakes)
		}
		l.next = l.next.Add(lookTakes / looksAtOnce)
		return nil, &fault.Later{After: l.next.Sub(now), Err: fault.New(fault.Infra, "GitHub: many other pull requests are to be read first")}
	}
	l.waiting++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waiting--
	}()
	select {
	case l.turns <- struct{}{}:
		return func() { <-l.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
