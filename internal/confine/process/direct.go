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

	"github.com/longshift/longshift/internal/confine/process/guard"
)

// Direct runs a short program without a guard, at a quarter of the cost. It is for plumbing commands that leave no
// processes behind, never for agents or for anything that a repository names. Stdout goes to out. Direct returns how the
// program ended and the tail of its stderr; it fails when the program could not be started or ctx has ended. When ctx
// ends, the process group gets TERM, and KILL after Spec.Grace. On Linux the kernel kills the program when this process
// dies.
func Direct(ctx context.Context, s Spec, out io.Writer) (Exit, string, error) {
	o, err := newOrder(s)
	if err != nil {
		return Exit{}, "", fmt.Errorf("start %s: %w", s.Path, err)
	}
	errs := newCapture(0, stderrKept)
	cmd := exec.CommandContext(ctx, o.Path, s.Args...)
	cmd.Args[0] = s.Path
	cmd.Dir, cmd.Env = o.Dir, append([]string{}, o.Env...) // nil would be our own environment
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Stdin, out, errs
	cmd.SysProcAttr = guard.ChildAttr()
	cmd.WaitDelay = max(o.Grace, 1)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	runtime.LockOSThread() // the parent-death signal belongs to the thread that starts the program
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return Exit{}, "", fmt.Errorf("start %s: %w", s.Path, err)
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the rest of the group
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
