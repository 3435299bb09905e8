// Package claude runs sessions of Claude Code. It starts the real binary, makes it ask before every tool call, answers over stdio, reads
// its stream of JSON lines and determines the outcome. It supports one version of the binary and refuses others. It may not decide what
// follows an outcome, hold keys, price tokens, or touch git.
package claude

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// Pinned is the version of Claude Code that this driver was tested with.
const Pinned = "2.1.328"

// programName is what errors call the binary.
const programName = "claude"

// Config is what New needs.
type Config struct {
	program.Config
	Retries  int           // how often the binary retries a failed model call, with growing pauses; 0 for 4
	WarmTime time.Duration // how long a process of Warm waits for its Run; 0 for 10 min
	LookTime time.Duration // how long it may look for what a session has left, on a busy machine; 0 for 500 ms, which a fresh launch takes too
	EndTime  time.Duration // how long what a session has left may take to end before it counts; 0 for 300 ms, less than a fresh launch takes
}

// Driver runs sessions of Claude Code. It is an agent.Agent.
type Driver struct {
	cfg Config
	log *slog.Logger

	mu     sync.Mutex
	holds  map[string]*hold    // sessions in Run or Warm
	warm   map[string]*started // processes that wait for their prompt, by session
	kept   map[string]*started // processes that wait for another session, by the session that has ended
	closed bool
}

// New returns a driver. It starts nothing.
func New(c Config) *Driver {
	c.Config = c.Config.Default(Pinned)
	c.Retries = cmp.Or(c.Retries, 4)
	c.WarmTime = cmp.Or(c.WarmTime, 10*time.Minute)
	c.LookTime = cmp.Or(c.LookTime, 500*time.Millisecond)
	c.EndTime = cmp.Or(c.EndTime, 300*time.Millisecond)
	return &Driver{cfg: c, log: c.Log, holds: map[string]*hold{}, warm: map[string]*started{}, kept: map[string]*started{}}
}

// hold is a session in use. A session has one Run at a time, because the binary itself takes no lock.
type hold struct {
	warming bool
	done    chan struct{}
}

// claim reserves the session for one Run or Warm. Both wait for a Warm in progress; neither can run beside a Run.
func (d *Driver) claim(ctx context.Context, id string, warming bool) (release func(), err error) {
	for {
		d.mu.Lock()
		if d.closed {
			d.mu.Unlock()
			return nil, fault.New(fault.Stopping, "claude driver is closed")
		}
		other := d.holds[id]
		if other == nil {
			h := &hold{warming: warming, done: make(chan struct{})}
			d.holds[id] = h
			d.mu.Unlock()
			return func() { d.release(id, h) }, nil
		}
		d.mu.Unlock()
		if !other.warming {
			return nil, fault.New(fault.Internal, "session %s runs already", id)
		}
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, fault.New(fault.Stopping, "wait for session %s: %w", id, ctx.Err())
		}
	}
}

func (d *Driver) release(id string, h *hold) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.holds, id)
	close(h.done)
}
