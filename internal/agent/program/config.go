package program

import (
	"cmp"
	"log/slog"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Config is what every driver of a program needs. Only Binary is required.
type Config struct {
	Binary  string           // absolute path of the executable, or a bare name in Path
	Version string           // the only accepted version; "" for the one that the driver was tested with
	Path    string           // PATH of the agent and its commands unless Session.Env has one; "" for the system's folders
	Log     *slog.Logger     // nil for none
	Now     func() time.Time // nil for time.Now; for event times and for quota resets without a date
	Grace   time.Duration    // time for the binary to exit, after its result, after an interruption and after SIGTERM; 0 for 5 s
}

// Default returns the settings with those that are missing.
func (c Config) Default(version string) Config {
	c.Version = cmp.Or(c.Version, version)
	c.Path = cmp.Or(c.Path, SystemPath)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	return c
}

// Claims are the sessions that a driver runs. Its zero value is ready for use.
type Claims struct {
	mu      sync.Mutex
	running map[string]bool
}

// Claim reserves the session for one Run: two processes would write the same conversation.
func (c *Claims) Claim(id string) (release func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[id] {
		return nil, fault.New(fault.Internal, "session %s runs already", id)
	}
	if c.running == nil {
		c.running = map[string]bool{}
	}
	c.running[id] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, id)
	}, nil
}
