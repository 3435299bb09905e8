// Package claude runs sessions of Claude Code: it starts the real binary, has it ask before every tool call and answers over
// stdio, reads its stream of JSON lines and says how the session ended. It knows one version of the binary and refuses others.
// It may not decide what comes after an outcome, hold keys, price tokens, or touch git.
package claude

import (
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

// Pinned is the version of Claude Code that this driver was measured with.
const Pinned = "2.1.328"

// Config is what a Driver needs. Only Binary is required.
type Config struct {
	Binary   string           // absolute path of the executable, or a bare name in Path
	Version  string           // the only version that may run; "" for Pinned
	Path     string           // PATH of the agent and its commands where Session.Env has none; "" for the system's folders
	Log      *slog.Logger     // nil for none
	Now      func() time.Time // nil for time.Now; for event times and for quota resets that name no date
	Grace    time.Duration    // what the binary gets to exit by itself, after its result and after TERM; 0 for 5 s
	Retries  int              // how often the binary tries a refused model call again, with growing pauses; 0 for 4
	WarmTime time.Duration    // how long a process started by Warm waits for its Run; 0 for 10 min
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

// New makes a driver. It starts nothing.
func New(c Config) *Driver {
	if c.Version == "" {
		c.Version = Pinned
	}
	if c.Path == "" {
		c.Path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if c.Retries == 0 {
		c.Retries = 4
	}
	if c.WarmTime == 0 {
		c.WarmTime = 10 * time.Minute
	}
	return &Driver{cfg: c, log: c.Log, holds: map[string]*hold{}, warm: map[string]*started{}}
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// checkSession refuses what would only fail later, and less clearly. These values are made by us, so a wrong one is our mistake.
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

// hold is a session in use: one Run at most, for the binary itself takes no lock.
type hold struct {
	warming bool
	done    chan struct{}
}

// claim takes the session for one Run or Warm. Both wait for a Warm that has not ended; neither can go beside a Run.
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
