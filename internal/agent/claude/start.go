package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// started is a process with the launch it was started for.
type started struct {
	*process.Process
	in     *input
	hello  string // id of the request that sets up the hooks
	key    string
	expire *time.Timer
}

// start prepares the session's state folder and starts the binary without its prompt. It sets up the hooks at once, although no call is
// made before the prompt.
func (d *Driver) start(ctx context.Context, s agent.Session, resume bool) (*started, error) {
	l := d.launch(s, resume)
	// A process of an earlier attempt would use the same session and workspace.
	if n, err := process.ReapSession(ctx, s.ID); err != nil {
		return nil, fault.New(fault.Infra, "end processes of the last attempt: %w", err)
	} else if n > 0 {
		d.log.InfoContext(ctx, "ended processes of an earlier attempt", "session", s.ID, "processes", n)
	}
	if err := l.prepare(s); err != nil {
		return nil, err
	}
	begin := process.Start
	if s.Start != nil {
		begin = s.Start
	}
	p, err := begin(context.WithoutCancel(ctx), process.Spec{
		Path: d.cfg.Binary, Args: l.args, Dir: s.Dir, Env: l.env, Session: s.ID,
		PidFile: filepath.Join(s.StateDir, pidName), StdinPipe: true, Grace: d.cfg.Grace,
	})
	if err != nil {
		if _, stat := os.Stat(s.Dir); stat != nil {
			return nil, fault.New(fault.Infra, "start claude: workspace: %w", stat)
		}
		if _, told := errors.AsType[*fault.Error](err); told { // keep a fault of the session's own Start
			return nil, fmt.Errorf("start claude: %w", err)
		}
		return nil, fault.New(fault.Infra, "start claude: %w", err).
			WithHint("install @anthropic-ai/claude-code@%s on this host and give its path", d.cfg.Version)
	}
	in := newInput(p.Stdin())
	return &started{Process: p, in: in, hello: in.request(hooks()), key: l.key}, nil
}
