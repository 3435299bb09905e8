package activities

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/plaintext"
	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/toolchain"
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
	Commit  string        `json:"commit,omitempty"` // what it runs on, for its result
	Wall    time.Duration `json:"wall"`
	Again   bool          `json:"again,omitempty"` // on the same content, after a failure
	Next    *SessionInput `json:"next,omitempty"`  // the session that most likely comes next

	Paths task.PathSettings `json:"paths,omitzero"` // what the task says about paths
	Env   map[string]string `json:"env,omitempty"`  // what it sets itself

	Precedence Precedence `json:"precedence,omitzero"`
}

// RunSetup runs the setup command. Its failure is a result, not an error.
func (h *Host) RunSetup(ctx context.Context, in CommandInput) (signals.Check, error) {
	ctx, give, err := h.slot(ctx, in.Precedence, in.Wall)
	if err != nil {
		return signals.Check{}, err
	}
	defer give()
	return h.command(ctx, in, "setup")
}

// RunChecks runs the check command. Its failure is a result, not an error. A check that fails is run once more at once: when it passes
// then it is flaky, and has passed.
func (h *Host) RunChecks(ctx context.Context, in CommandInput) (signals.Check, error) {
	ctx, give, err := h.slot(ctx, in.Precedence, in.Wall)
	if err != nil {
		return signals.Check{}, err
	}
	defer give()
	c, err := h.checks(ctx, in)
	if err == nil && c.Unfinished == "" {
		h.leaveCaches(ctx, in.Ref, c.Passed())
	}
	return c, err
}

func (h *Host) checks(ctx context.Context, in CommandInput) (signals.Check, error) {
	first, err := h.command(ctx, in, "check")
	if err != nil || first.ExitCode == 0 || first.Unfinished != "" || first.Duration >= in.Wall {
		return first, err
	}
	in.Again, in.Next, in.Wall = true, nil, in.Wall-first.Duration
	again, err := h.command(ctx, in, "check")
	if err != nil {
		return again, err
	}
	again.Duration += first.Duration
	if again.Passed() {
		again.Flaky, again.Failing = true, first.Failing
	}
	return again, nil
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
	name := fmt.Sprintf("%s-%02d", kind, in.N)
	if in.Again {
		name += "-again"
	}
	file := filepath.Join("tasks", in.TaskID, "logs", name+".log")
	if err := os.MkdirAll(filepath.Join(h.Data, filepath.Dir(file)), 0o700); err != nil {
		return signals.Check{}, fault.New(fault.Infra, "make the log folder: %w", err)
	}
	if err := tree.BeforeCommand(ctx, name); err != nil {
		return signals.Check{}, err
	}
	res, err := h.inBox(ctx, in, tree, process.Spec{
		Path: "/bin/bash", Args: []string{"--noprofile", "--norc", "-c", in.Command}, Dir: tree.Dir(),
		Session: mark, OutputFile: filepath.Join(h.Data, file), Grace: 2 * time.Second,
		Filter: func(to io.Writer) io.WriteCloser { return plaintext.Writer(redact.FileWriter(to, h.Redact)) }, // first what cuts up a secret and is not seen
	}, kind)
	if err := interrupted(ctx); err != nil {
		return signals.Check{}, err
	}
	if err != nil {
		return signals.Check{}, fmt.Errorf("run the %s command: %w", kind, err)
	}
	if err := tree.AfterCommand(ctx, name); err != nil {
		return signals.Check{}, err
	}
	if res.Exit.Code != 0 {
		if err := disk.Full(h.Data); err != nil { // no test failed: it had nowhere to write
			return signals.Check{}, fmt.Errorf("run the %s command: %w", kind, err)
		}
	}
	c := signals.Check{Command: in.Command, ExitCode: res.Exit.Code, Duration: res.Duration,
		Tail: excerpt.Tail(h.Redact.String(plaintext.Of(res.Output)), tailSize), File: file, Commit: in.Commit, Unfinished: unfinished(res)}
	if kind == "check" && !c.Passed() {
		c.Failing = h.failing(ctx, filepath.Join(h.Data, file))
	}
	return c, nil
}

// outOfMemory is the exit code that a shell gives for a program which the kernel has killed.
const outOfMemory = 128 + int(syscall.SIGKILL)

// unfinished says why a command did not come to its own end, "" when it did.
func unfinished(res process.Result) string {
	switch {
	case res.TimedOut:
		return fmt.Sprintf("it was stopped after %s", res.Duration.Round(time.Second))
	case res.Exit.Code == outOfMemory:
		return "a program of it was killed, most likely for want of memory"
	case res.Exit.Signal != "" || res.Exit.Err != nil || res.Exit.Code < 0:
		return res.Exit.String()
	}
	return ""
}

// failing reads the names of failing tests from a command's output.
func (h *Host) failing(ctx context.Context, file string) []string {
	out, err := os.Open(file)
	if err != nil {
		h.Log.WarnContext(ctx, "the output of a check can't be read; its failing tests stay without names", "error", err)
		return nil
	}
	defer out.Close()
	names := toolchain.Failing(out)
	for i, name := range names {
		names[i] = excerpt.Line(h.Redact.String(name), 200)
	}
	return names
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
	box, err := h.box(ctx, where, dirs, false, in.Paths)
	if err != nil {
		return process.Result{}, err
	}
	box.Writable = append(box.Writable, dirs.Home)
	h.openWay(&box, Caller{Task: in.TaskID, Role: kind})
	if s.Env, err = h.commandEnv(where.of, dirs, kind, in.Env); err != nil {
		return process.Result{}, err
	}
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
