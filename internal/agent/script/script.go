// Package script is an agent without a model: it plays a scenario file. It is for the demo and for tests, and says so at the start of
// every session. It writes and runs whatever the scenario says, so an operator has to enable it.
package script

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// Version is the version that a session reports when it starts.
const Version = "script agent (plays a scenario, no model)"

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Config configures the agent. Zero values are valid.
type Config struct {
	Log  *slog.Logger                                     // nil for none
	Now  func() time.Time                                 // nil for time.Now
	Wait func(ctx context.Context, d time.Duration) error // nil for a timer; returns early with an error when ctx ends
	Pace *float64                                         // factor for all pauses; nil for 1
	Path string                                           // PATH of commands if the session sets none
}

// Agent plays scenarios. It is safe for concurrent use.
type Agent struct{ cfg Config }

func New(cfg Config) *Agent {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Wait == nil {
		cfg.Wait = clock.Sleep
	}
	cfg.Pace = cmp.Or(cfg.Pace, new(1.0))
	cfg.Path = cmp.Or(cfg.Path, defaultPath)
	return &Agent{cfg}
}

// errWall is the cause when a session's wall time is used up.
var errWall = errors.New("the session's time is used up")

// Run plays the entry of the scenario that matches the session. A resumed session continues after its last finished step. Processes of
// the last attempt are ended first.
func (a *Agent) Run(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
	if ctx.Err() != nil {
		return agent.Outcome{Kind: agent.Interrupted, SessionID: s.ID}, nil
	}
	p, err := a.open(ctx, s, emit)
	if err != nil {
		return agent.Outcome{}, fmt.Errorf("play scenario: %w", err)
	}
	p.tell(agent.Event{Kind: agent.Started, ID: s.ID, Text: Version})
	wall, cancel := context.WithCancel(ctx)
	if s.Wall > 0 {
		wall, cancel = context.WithTimeoutCause(ctx, s.Wall, errWall)
	}
	defer cancel()
	out, err := p.play(wall)
	switch {
	case ctx.Err() != nil:
		return p.outcome(agent.Interrupted, ""), nil
	case context.Cause(wall) == errWall:
		return p.outcome(agent.Turns, errWall.Error()), nil
	case err != nil:
		return agent.Outcome{}, fmt.Errorf("play scenario: %w", err)
	}
	return out, nil
}

// open reads the scenario and finds the session's position in it.
func (a *Agent) open(ctx context.Context, s agent.Session, emit func(agent.Event)) (*performance, error) {
	sc, err := load(s)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.StateDir, 0o700); err != nil {
		return nil, fault.New(fault.Infra, "make the session's folder: %w", err)
	}
	p := &performance{agent: a, session: s, scenario: sc, emit: emit, file: filepath.Join(s.StateDir, stateFile)}
	if s.Resume {
		if _, err := process.ReapSession(ctx, s.ID); err != nil {
			return nil, fault.New(fault.Infra, "end what an earlier attempt left: %w", err)
		}
		if p.resumed, err = p.state.read(p.file); err != nil {
			return nil, err
		}
	}
	if p.resumed {
		return p, p.resume()
	}
	return p, p.begin()
}

const DemoTask = "make the failing tests pass and document the function"

//go:embed demo.yaml
var demoScenario string

//go:embed demo.txtar
var demoFiles string

// Demo returns the demo's scenario, which is made for DemoRepository.
func Demo() []byte { return []byte(demoScenario) }

// DemoRepository returns the files of a small Go module with a failing test, by path.
func DemoRepository() map[string]string {
	files := map[string]string{}
	for _, part := range strings.Split("\n"+demoFiles, "\n-- ")[1:] {
		name, content, _ := strings.Cut(part, " --\n")
		files[name] = strings.TrimRight(content, "\n") + "\n"
	}
	return files
}
