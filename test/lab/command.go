package lab

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Ran is what a run of the command line printed, and its exit code.
type Ran struct {
	Out, Err string
	Code     int
}

// Longshift runs the command line against this server, in a folder of its own that is no repository.
func (s *Server) Longshift(t testing.TB, args ...string) Ran {
	t.Helper()
	return s.longshift(t, filepath.Join(t.TempDir(), "data"), args...)
}

// OnHost runs the command line on the worker's host: beside its data.
func (s *Stage) OnHost(args ...string) Ran {
	s.T.Helper()
	return s.longshift(s.T, s.Worker.Data, args...)
}

// OnHostOf runs the command line beside the data of a worker.
func (s *Stage) OnHostOf(w *Worker, args ...string) Ran {
	s.T.Helper()
	return s.longshift(s.T, w.Data, args...)
}

func (s *Server) longshift(t testing.TB, data string, args ...string) Ran {
	t.Helper()
	return s.command(t, t.TempDir(), 40*time.Second, []string{"LONGSHIFT_DATA=" + data}, args...)
}

// LongshiftIn runs the command line in a folder, for as long as a task takes. env is added to its environment.
func (s *Server) LongshiftIn(t testing.TB, dir string, env []string, args ...string) Ran {
	t.Helper()
	return s.command(t, dir, 3*time.Minute, append([]string{"LONGSHIFT_DATA=" + t.TempDir()}, env...), args...)
}

func (s *Server) command(t testing.TB, dir string, limit time.Duration, env []string, args ...string) Ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, Program(t, "longshift"), args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "USER=ann", "TZ=UTC", "LANG=C.UTF-8",
		"TEMPORAL_ADDRESS=" + s.Address}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		t.Fatalf("run longshift %q: %v\n%s", args, err, errs.String())
	}
	return Ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}
