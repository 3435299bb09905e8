package environ_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// attachedEnv makes the test binary run git in a folder as a command does that is interrupted: the first signal ends its context, and
// from then on the next one would end it at once.
const attachedEnv = "ENVIRON_TEST_ATTACHED"

func TestMain(m *testing.M) {
	dir := os.Getenv(attachedEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	_, err := environ.NewGit(environ.SystemEnviron()).Attached(ctx, dir, term.Streams{}, "diff")
	if errors.Is(err, term.ErrInterrupted) {
		os.Exit(130)
	}
	os.Exit(1)
}

// TestCtrlCInAPager: Ctrl-C in the pager of git, also a second one, ends neither git nor the command above it before the pager has ended.
func TestCtrlCInAPager(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	is := func(name string) func() bool {
		return func() bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	}
	git := `#!/bin/sh
trap 'if [ -e interrupted ]; then >twice; else >interrupted; fi' INT
trap : TERM
>shows
while [ ! -e quit ]; do sleep 0.02; done
>ended
`
	gittest.Program(t, filepath.Join(dir, "git"), git)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), attachedEnv+"="+dir, "PATH="+dir+":"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // whose processes Ctrl-C reaches all
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }() // its code is looked at below
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); <-ended }()
	for _, after := range []string{"shows", "interrupted"} {
		clitest.Eventually(t, after, is(after))
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Eventually(t, "the second Ctrl-C", is("twice"))
	select {
	case <-ended:
		t.Fatalf("the command has ended before git: %v", cmd.ProcessState)
	default:
	}
	if err := os.WriteFile(filepath.Join(dir, "quit"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-ended
	if code := cmd.ProcessState.ExitCode(); code != 130 || !is("ended")() {
		t.Errorf("ended with %v, git by itself: %t", cmd.ProcessState, is("ended")())
	}
}
