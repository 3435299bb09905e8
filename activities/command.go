package activities

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/signals"
)

// tailSize is how much of a command's output goes into history; the whole of it stays in a file on the host.
const tailSize = 4 << 10

// CommandInput asks for the setup or the check command.
type CommandInput struct {
	Ref
	N       int           `json:"n"` // how manieth run of this kind in its task, from 1
	Command string        `json:"command"`
	Wall    time.Duration `json:"wall"`
	Next    *SessionInput `json:"next,omitempty"` // the session that most likely comes next
}

// RunSetup runs the setup command. Its failure is a result, not an error.
func (h *Host) RunSetup(ctx context.Context, in CommandInput) (signals.Check, error) {
	return h.command(ctx, in, "setup")
}

// RunChecks runs the check command. Its failure is a result, not an error.
func (h *Host) RunChecks(ctx context.Context, in CommandInput) (signals.Check, error) {
	return h.command(ctx, in, "check")
}

func (h *Host) command(ctx context.Context, in CommandInput, kind string) (signals.Check, error) {
	h.startAhead(ctx, in.Next)
	tree, err := h.Workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return signals.Check{}, err
	}
	defer tree.Close()
	ctx, stop := untilStopping(ctx)
	defer stop()
	mark := in.TaskID + "-" + kind
	if _, err := process.ReapSession(ctx, mark); err != nil {
		return signals.Check{}, orInterrupted(ctx, fault.New(fault.Infra, "end what an earlier attempt left: %w", err))
	}
	file := filepath.Join("tasks", in.TaskID, "logs", fmt.Sprintf("%s-%02d.log", kind, in.N))
	if err := os.MkdirAll(filepath.Join(h.Data, filepath.Dir(file)), 0o700); err != nil {
		return signals.Check{}, fault.New(fault.Infra, "make the log folder: %w", err)
	}
	res, err := process.Run(ctx, process.Spec{
		Path: "/bin/bash", Args: []string{"--noprofile", "--norc", "-c", in.Command}, Dir: tree.Dir(),
		Env: h.CommandEnv, Session: mark, OutputFile: filepath.Join(h.Data, file), Grace: 2 * time.Second,
	}, process.Limits{Wall: in.Wall, Keep: 4 * tailSize}) // half of it is the end of the output: more than the tail, for what is hidden in it
	if err := interrupted(ctx); err != nil {
		return signals.Check{}, err
	}
	if err != nil {
		return signals.Check{}, fmt.Errorf("run the %s command: %w", kind, err)
	}
	return signals.Check{Command: in.Command, ExitCode: res.Exit.Code, Duration: res.Duration,
		Tail: tail(h.Redact.String(res.Output), tailSize), File: file}, nil
}
