package codex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// start prepares the session's state folder and starts the binary.
func (d *Driver) start(ctx context.Context, s agent.Session) (*process.Process, error) {
	// A process of an earlier attempt would use the same conversation and workspace.
	if n, err := process.ReapSession(ctx, s.ID); err != nil {
		return nil, fault.New(fault.Infra, "end processes of the last attempt: %w", err)
	} else if n > 0 {
		d.log.InfoContext(ctx, "ended processes of an earlier attempt", "session", s.ID, "processes", n)
	}
	if err := prepare(s); err != nil {
		return nil, err
	}
	begin := process.Start
	if s.Start != nil {
		begin = s.Start
	}
	p, err := begin(context.WithoutCancel(ctx), process.Spec{
		Path: d.cfg.Binary, Args: d.arguments(s), Dir: s.Dir, Env: d.environment(s), Session: s.ID,
		PidFile: filepath.Join(s.StateDir, pidName), StdinPipe: true, Grace: d.cfg.Grace,
	})
	if err == nil {
		return p, nil
	}
	if _, stat := os.Stat(s.Dir); stat != nil {
		return nil, fault.New(fault.Infra, "start codex: workspace: %w", stat)
	}
	if _, told := errors.AsType[*fault.Error](err); told { // keep a fault of the session's own Start
		return nil, fmt.Errorf("start codex: %w", err)
	}
	return nil, fault.New(fault.Infra, "start codex: %w", err).WithHint("install @openai/codex@%s on this host and give its path", d.cfg.Version)
}
