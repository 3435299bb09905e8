package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Direct runs a short program that leaves nobody behind, without a guard, at a quarter of the cost: plumbing commands,
// never agents, never anything a repository names. Stdout goes to out. It returns how the program ended and the tail of
// its error output; an error means that it could not be started or that ctx has ended. When ctx ends, its process group
// gets TERM and after Spec.Grace KILL; when we die, the kernel kills it (on Linux).
func Direct(ctx context.Context, s Spec, out io.Writer) (Exit, string, error) {
	o, err := newOrder(s)
	if err != nil {
		return Exit{}, "", fmt.Errorf("start %s: %w", s.Path, err)
	}
	errs := newCapture(0, stderrKept)
	cmd := exec.CommandContext(ctx, o.path, s.Args...)
	cmd.Args[0] = s.Path
	cmd.Dir, cmd.Env = o.dir, o.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Stdin, out, errs
	cmd.SysProcAttr = childAttr()
	cmd.WaitDelay = max(o.grace, 1)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	runtime.LockOSThread() // the parent-death signal belongs to the thread that starts the program
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return Exit{}, "", fmt.Errorf("start %s: %w", s.Path, err)
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what is left of the group
		return Exit{Code: -1}, errs.String(), fmt.Errorf("run %s: %w", s.Path, context.Cause(ctx))
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return Exit{Code: -1}, errs.String(), fmt.Errorf("run %s: %w", s.Path, err)
	}
	return exitOf(cmd.ProcessState), errs.String(), nil
}

func exitOf(s *os.ProcessState) Exit {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Exit{Code: -1, Signal: signalName(ws.Signal())}
	}
	return Exit{Code: s.ExitCode()}
}
