package slacktest

import (
	"sync"
	"time"
)

// patience is how long a test waits for what has to come.
const patience = 10 * time.Second

// change tells those who wait that something is different now.
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

// wait asks after each change, and returns up after patience.
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
