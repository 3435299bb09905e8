// Package program is what the drivers share whose agents are programs of their own. It checks a session, makes its state folder, starts the
// program, and says what the end of a session means. It may not know what a program is asked or answers: that is its driver's.
package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// SystemPath is the PATH of an agent for which none is set.
const SystemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// UUID matches the ids of sessions.
var UUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Check rejects sessions that would fail later with a less clear error. Our own code sets these values, so a wrong one is a bug.
func Check(s agent.Session) error {
	for _, c := range []struct {
		bad  bool
		what string
	}{
		{!UUID.MatchString(s.ID), fmt.Sprintf("id %q is not a lower-case UUID", s.ID)},
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

// CheckWithKey is Check for a program that takes no login. Only a login is what people choose.
func CheckWithKey(s agent.Session, program string) error {
	if err := Check(s); err != nil {
		return err
	}
	if s.Login {
		return &agent.Unfit{Err: fault.New(fault.Input, "%s takes no subscription login here", program).
			WithHint("give it an API key, or choose another agent")}
	}
	return nil
}

// Launch is how a program is started.
type Launch struct {
	Name    string // as in "start claude"
	Package string // of npm
	Version string
	Binary  string
	Args    []string
	Env     []string
	Prepare func() error  // the state folder; no process of an earlier attempt is left by then
	Grace   time.Duration // between SIGTERM and SIGKILL
	Log     *slog.Logger
}

// Start starts a session's program, with a pipe as its stdin. It goes on when ctx ends.
func Start(ctx context.Context, s agent.Session, l Launch) (*process.Process, error) {
	// A process of an earlier attempt would use the same conversation and workspace.
	if n, err := process.ReapSession(ctx, s.ID); err != nil {
		return nil, fault.New(fault.Infra, "end processes of the last attempt: %w", err)
	} else if n > 0 {
		l.Log.InfoContext(ctx, "ended processes of an earlier attempt", "session", s.ID, "processes", n)
	}
	if err := l.Prepare(); err != nil {
		return nil, err
	}
	begin := process.Start
	if s.Start != nil {
		begin = s.Start
	}
	p, err := begin(context.WithoutCancel(ctx), process.Spec{
		Path: l.Binary, Args: l.Args, Dir: s.Dir, Env: l.Env, Session: s.ID, StdinPipe: true, Grace: l.Grace,
	})
	if err == nil {
		return p, nil
	}
	if _, stat := os.Stat(s.Dir); stat != nil {
		return nil, fault.New(fault.Infra, "start %s: workspace: %w", l.Name, stat)
	}
	if _, told := errors.AsType[*fault.Error](err); told { // keep a fault of the session's own Start
		return nil, fmt.Errorf("start %s: %w", l.Name, err)
	}
	return nil, fault.New(fault.Infra, "start %s: %w", l.Name, err).WithHint("install %s@%s on this host and give its path", l.Package, l.Version)
}

// Effort converts a thinking budget in tokens to the effort level of models that take no budget.
func Effort(tokens int) string {
	switch {
	case tokens < 8<<10:
		return "low"
	case tokens < 16<<10:
		return "medium"
	case tokens < 32<<10:
		return "high"
	case tokens < 64<<10:
		return "xhigh"
	}
	return "max"
}
