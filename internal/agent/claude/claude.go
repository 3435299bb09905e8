// Package claude runs sessions of Claude Code. It starts the real binary, makes it ask before every tool call, answers over stdio, reads
// its stream of JSON lines and determines the outcome. It supports one version of the binary and refuses others. It may not decide what
// follows an outcome, hold keys, price tokens, or touch git.
package claude

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// Pinned is the version of Claude Code that this driver was tested with.
const Pinned = "2.1.328"

// Config is what New needs. Only Binary is required.
type Config struct {
	Binary   string           // absolute path of the executable, or a bare name in Path
	Version  string           // the only accepted version; "" for Pinned
	Path     string           // PATH of the agent and its commands unless Session.Env has one; "" for the system's folders
	Log      *slog.Logger     // nil for none
	Now      func() time.Time // nil for time.Now; for event times and for quota resets without a date
	Grace    time.Duration    // time for the binary to exit, after its result and after SIGTERM; 0 for 5 s
	Retries  int              // how often the binary retries a failed model call, with growing pauses; 0 for 4
	WarmTime time.Duration    // how long a process of Warm waits for its Run; 0 for 10 min
}

// Driver runs sessions of Claude Code. It is an agent.Agent.
type Driver struct {
	cfg Config
	log *slog.Logger

	mu     sync.Mutex
	holds  map[string]*hold    // sessions in Run or Warm
	warm   map[string]*started // processes that wait for their prompt, by session
	closed bool
}

// New returns a driver. It starts nothing.
func New(c Config) *Driver {
	c.Version = cmp.Or(c.Version, Pinned)
	c.Path = cmp.Or(c.Path, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	c.Retries = cmp.Or(c.Retries, 4)
	c.WarmTime = cmp.Or(c.WarmTime, 10*time.Minute)
	return &Driver{cfg: c, log: c.Log, holds: map[string]*hold{}, warm: map[string]*started{}}
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// checkSession rejects sessions that would fail later with a less clear error. Our own code sets these values, so a wrong one is a bug.
func checkSession(s agent.Session) error {
	for _, c := range []struct {
		bad  bool
		what string
	}{
		{!uuid.MatchString(s.ID), fmt.Sprintf("id %q is not a lower-case UUID", s.ID)},
		{!filepath.IsAbs(s.Dir), fmt.Sprintf("dir %q is not absolute", s.Dir)},
		{!filepath.IsAbs(s.StateDir), fmt.Sprintf("state dir %q is not absolute", s.StateDir)},
		{s.Model == "", "model is missing"},
		{s.Prompt == "", "prompt is missing"},
	} {
		if c.bad {
			return fault.New(fault.Internal, "session: %s", c.what)
		}
	}
	return nil
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
