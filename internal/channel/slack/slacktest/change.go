package slacktest

import (
	"sync"
	"time"
)

// patience is how long a test waits for something that must happen.
const patience = 10 * time.Second

// change notifies waiting goroutines of any change.
type change struct {
	mu sync.Mutex
	ch chan struct{}
}

func newChange() *change { return &change{ch: make(chan struct{})} }

func (c *change) note() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.ch)
	c.ch = make(chan struct{})
}

func (c *change) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ch
}

// wait checks ok after each change, and gives up after patience.
func (c *change) wait(ok func() bool) bool {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		changed := c.next()
		if ok() {
			return true
		}
		select {
		case <-changed:
		case <-deadline.C:
			return ok()
		}
	}
}
