package activities

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workspace"
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

	Paths task.PathSettings `json:"paths,omitzero"` // what the task says about paths
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
	res, err := h.inBox(ctx, in, tree, process.Spec{
		Path: "/bin/bash", Args: []string{"--noprofile", "--norc", "-c", in.Command}, Dir: tree.Dir(),
		Session: mark, OutputFile: filepath.Join(h.Data, file), Grace: 2 * time.Second,
	}, kind)
	if err := interrupted(ctx); err != nil {
		return signals.Check{}, err
	}
	if err != nil {
		return signals.Check{}, fmt.Errorf("run the %s command: %w", kind, err)
	}
	return signals.Check{Command: in.Command, ExitCode: res.Exit.Code, Duration: res.Duration,
		Tail: tail(h.Redact.String(res.Output), tailSize), File: file}, nil
}

// inBox runs the command confined, and writes it into the command log before and after.
func (h *Host) inBox(ctx context.Context, in CommandInput, tree *workspace.Tree, s process.Spec, kind string) (process.Result, error) {
	if h.Confine.Box == nil {
		return process.Result{}, fault.New(fault.Internal, "this host has no sandbox")
	}
	where, err := h.placeOf(ctx, tree)
	if err != nil {
		return process.Result{}, err
	}
	dirs := h.dirs(where, in.TaskID)
	if err := os.MkdirAll(dirs.Home, 0o700); err != nil {
		return process.Result{}, fault.New(fault.Infra, "make the task's home folder: %w", err)
	}
	box, err := h.box(where, dirs, false, in.Paths)
	if err != nil {
		return process.Result{}, err
	}
	box.Writable = append(box.Writable, dirs.Home)
	h.openWay(&box, Caller{Task: in.TaskID, Role: kind})
	s.Env = h.CommandEnv(dirs)
	done, err := h.logRun(ctx, in, kind)
	if err != nil {
		return process.Result{}, err
	}
	res, err := h.Confine.Box.Run(ctx, s, process.Limits{Wall: in.Wall, Keep: 4 * tailSize}, box) // half of it is the end of the output: more than the tail, for what is hidden in it
	if err == nil {
		done(res.Exit.Code, res.Duration)
	}
	return res, unconfined(err)
}

// logRun writes a command of the project into the command log and gives what completes the entry.
func (h *Host) logRun(ctx context.Context, in CommandInput, kind string) (done func(exit int, d time.Duration), err error) {
	if h.Audit == nil {
		return func(int, time.Duration) {}, nil
	}
	id, err := h.Audit.Append(ctx, audit.Record{Time: h.Now(), Task: in.TaskID, Host: h.ID, Kind: audit.KindRun, Tool: kind,
		Command: h.Redact.String(visible(in.Command)), Decision: audit.Allow, Rule: "project." + kind,
		Reason: "the " + kind + " command of the project's settings"})
	if err != nil {
		return nil, fault.New(fault.Infra, "write the command log: %w", err)
	}
	return func(exit int, d time.Duration) {
		if err := h.Audit.Finish(context.WithoutCancel(ctx), id, exit, d); err != nil {
			h.Log.WarnContext(ctx, "the end of a command could not be written to the command log", "error", err)
		}
	}, nil
}
