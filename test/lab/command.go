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
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, Program(t, "longshift"), args...)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=ann", "TZ=UTC", "LANG=C.UTF-8",
		"TEMPORAL_ADDRESS=" + s.Address, "LONGSHIFT_DATA=" + data}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		t.Fatalf("run longshift %q: %v\n%s", args, err, errs.String())
	}
	return Ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}
