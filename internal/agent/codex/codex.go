// Package codex runs sessions of OpenAI's Codex. It starts the real binary as an app-server, which asks before every command, patch and
// report, answers over stdio, reads its messages and determines the outcome. It supports one version of the binary and refuses others.
//
// The binary's own sandbox is off wherever the session has a box of its own around it (Session.Start): it is bubblewrap, which does not nest,
// and inside the box each command would fail. The box keeps the agent of a session that only reads from writing then.
//
// The package may not decide what follows an outcome, hold keys, price tokens, or touch git. It offers no sub-agents, no web search and no
// fetching of pages, whatever the session allows, because the binary does not ask about those.
package codex

import (
	"cmp"
	"log/slog"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// Pinned is the version of Codex that this driver was tested with.
const Pinned = "0.169.0"

// programName is what errors and the file with the pid call the binary.
const programName = "codex"

// Config is what New needs. Only Binary is required.
type Config struct {
	Binary  string           // absolute path of the native executable, or a bare name in Path
	Version string           // the only accepted version; "" for Pinned
	Path    string           // PATH of the agent and its commands unless Session.Env has one; "" for the system's folders
	Log     *slog.Logger     // nil for none
	Now     func() time.Time // nil for time.Now; for event times and for quota resets without a date
	Grace   time.Duration    // time for the binary to exit, after its turn, after an interruption and after SIGTERM; 0 for 5 s
	Retries int              // how often the binary retries a failed model call, with growing pauses; 0 for 4, negative for none
}

// Driver runs sessions of Codex. It is an agent.Agent.
type Driver struct {
	cfg Config
	log *slog.Logger

	mu      sync.Mutex
	running map[string]bool // sessions in Run
}

// New returns a driver. It starts nothing.
func New(c Config) *Driver {
	c.Version = cmp.Or(c.Version, Pinned)
	c.Path = cmp.Or(c.Path, program.SystemPath)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	c.Retries = cmp.Or(c.Retries, 4)
	return &Driver{cfg: c, log: c.Log, running: map[string]bool{}}
}

// checkSession rejects sessions that would fail later with a less clear error. Only a login is what people choose.
func checkSession(s agent.Session) error {
	if err := program.Check(s); err != nil {
		return err
	}
	if s.Login {
		return fault.New(fault.Input, "codex takes no subscription login here").WithHint("give it an API key, or choose another agent")
	}
	return nil
}

// claim reserves the session for one Run: two processes would write the same conversation.
func (d *Driver) claim(id string) (release func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[id] {
		return nil, fault.New(fault.Internal, "session %s runs already", id)
	}
	d.running[id] = true
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.running, id)
	}, nil
}
