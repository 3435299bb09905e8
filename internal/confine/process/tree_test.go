package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/confine/process/tree"
)

func TestStopEndsTheWholeTree(t *testing.T) {
	s := bash(stubborn)
	s.Grace = 50 * time.Millisecond
	p := mustStart(t, t.Context(), s)
	pids := readPids(t, p.Stdout(), 2)
	if p.Pid() != pids[0].Pid && p.Pid() != pids[1].Pid {
		t.Errorf("Pid is %d, the program is one of %v", p.Pid(), pids)
	}
	p.Stop()
	for _, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d lives after Stop", pid.Pid)
		}
	}
	if got := p.Wait(); got.Signal != "SIGTERM" {
		t.Errorf("ended by %+v, want TERM", got)
	}
	noChildren(t)
}

func TestStopLetsTheProgramEndByItself(t *testing.T) {
	s := bash(`trap 'echo saved; exit 7' TERM; echo ready; while :; do read -t 0.01 <> <(:); done`)
	p := mustStart(t, t.Context(), s)
	lines := NewLineScanner(p.Stdout(), 100)
	if !lines.Scan() {
		t.Fatal("no output")
	}
	p.Stop()
	if !lines.Scan() || string(lines.Bytes()) != "saved" {
		t.Errorf("got %q", lines.Bytes())
	}
	if got := p.Wait(); got.Code != 7 {
		t.Errorf("got %+v", got)
	}
}

func TestContextEndStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := bash(stubborn)
	s.Grace = -1
	p := mustStart(t, ctx, s)
	pids := readPids(t, p.Stdout(), 2)
	cancel()
	p.Wait()
	waitGone(t, pids...)
	noChildren(t)
}

func TestLeftoversDieWithTheProgram(t *testing.T) {
	p := mustStart(t, t.Context(), bash(`setsid bash -c 'trap "" TERM HUP; echo $$; while :; do sleep 1000 & wait; done' & read -t 5 < <(sleep 0.1); exit 4`))
	pids := readPids(t, p.Stdout(), 1)
	if got := p.Wait(); got.Code != 4 {
		t.Errorf("got %+v", got)
	}
	if !gone(pids[0]) {
		t.Error("the leftover lives")
	}
}

// startParent starts a helper worker that runs the script. It returns the worker, its guard and n processes of the
// script.
func startParent(t *testing.T, script, session string, n int) (*exec.Cmd, tree.Process, []tree.Process) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PROCESS_TEST_PARENT="+script, "PROCESS_TEST_SESSION="+session)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	pids := readPids(t, out, n+1)
	t.Cleanup(func() {
		for _, p := range pids {
			p.Signal(syscall.SIGKILL)
		}
	})
	return cmd, pids[0], pids[1:]
}

func TestKilledParentTakesTheTreeAlong(t *testing.T) {
	cmd, guard, pids := startParent(t, stubborn, "", 2)
	cmd.Process.Kill()
	cmd.Wait()
	waitGone(t, append(pids, guard)...)
}

// killBoth kills a worker and its guard at once, so that neither can react.
func killBoth(t *testing.T, cmd *exec.Cmd, guard tree.Process) {
	t.Helper()
	cmd.Process.Signal(syscall.SIGSTOP)
	guard.Signal(syscall.SIGKILL)
	waitGone(t, guard)
	cmd.Process.Kill()
	cmd.Wait()
}

func TestReapSessionFindsWhatAKilledGuardLeft(t *testing.T) {
	session := fmt.Sprintf("reap-%d", os.Getpid())
	cmd, guard, pids := startParent(t, stubborn, session, 2)
	other := mustStart(t, t.Context(), Spec{Path: "/bin/cat", StdinPipe: true, Session: session + "0"})
	killBoth(t, cmd, guard)
	n, err := reap(t.Context(), 20*time.Millisecond, finder{session: session})
	if err != nil || n < 2 { // the child in its own session, and its sleep
		t.Errorf("ended %d, %v", n, err)
	}
	for _, p := range pids {
		if !gone(p) {
			t.Errorf("process %d lives", p.Pid)
		}
	}
	if n, err := ReapSession(t.Context(), session); n != 0 || err != nil {
		t.Errorf("second time: %d, %v", n, err)
	}
	if _, err := tree.LookUp(other.Pid()); err != nil {
		t.Errorf("another session's process: %v", err)
	}
	if _, err := ReapSession(t.Context(), ""); err == nil {
		t.Error("no session is no error")
	}
}

// A program may mark its children with another session. Who ends that session does not touch them, and does not wait for them.
func TestReapSessionKnowsAForgedMark(t *testing.T) {
	ours, theirs := fmt.Sprintf("forged-%d", os.Getpid()), fmt.Sprintf("forger-%d", os.Getpid())
	s := bash(fmt.Sprintf(`(echo $BASHPID; export LONGSHIFT_SESSION=%s; exec -a %s /bin/cat) < <(sleep 1000) & wait`, ours, guard.Name))
	s.Session = theirs
	p := mustStart(t, t.Context(), s)
	pids := readPids(t, p.Stdout(), 1)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if n, err := ReapSession(ctx, ours); n != 0 || err != nil || gone(pids[0]) {
		t.Errorf("ended %d, %v; the child is gone: %t", n, err, gone(pids[0]))
	}
	if n, err := reap(t.Context(), 20*time.Millisecond, finder{session: theirs}); n < 2 || err != nil {
		t.Errorf("its own session: ended %d, %v", n, err)
	}
	p.Wait()
	waitGone(t, pids...)
}

func TestReapSessionReachesWhatClearedItsEnvironment(t *testing.T) {
	session := fmt.Sprintf("clear-%d", os.Getpid())
	s := bash(`env -i setsid /bin/bash -c 'trap "" TERM; echo $$; while :; do sleep 1000 & wait; done' & wait`)
	s.Session = session
	p := mustStart(t, t.Context(), s)
	pids := readPids(t, p.Stdout(), 1)
	if n, err := reap(t.Context(), 20*time.Millisecond, finder{session: session}); err != nil || n < 3 {
		t.Errorf("ended %d, %v", n, err)
	}
	p.Wait()
	waitGone(t, pids...)
}

func TestKilledGuardIsSeen(t *testing.T) {
	s := bash(stubborn)
	s.Session, s.Grace = fmt.Sprintf("seen-%d", os.Getpid()), -1
	p := mustStart(t, t.Context(), s)
	pids := readPids(t, p.Stdout(), 2)
	p.guard.Process.Kill()
	if got := p.Wait(); got.Err == nil || got.Success() {
		t.Errorf("got %+v", got)
	}
	waitGone(t, pids...)
	io.Copy(io.Discard, p.Stdout())
	noChildren(t)
}

func TestStoppedGuardDoesNotHoldUsUp(t *testing.T) {
	s := bash(`env -i setsid /bin/bash -c 'echo $$; while :; do sleep 1000 & wait; done' & echo $$; wait`)
	s.Grace = -1
	p := mustStart(t, t.Context(), s)
	pids := readPids(t, p.Stdout(), 2)
	p.stuck = 50 * time.Millisecond
	p.guard.Process.Signal(syscall.SIGSTOP)
	p.Stop()
	waitGone(t, pids...)
	noChildren(t)
}

func TestReapSparesANewOwnerOfTheNumber(t *testing.T) {
	p := mustStart(t, t.Context(), Spec{Path: "/bin/cat", StdinPipe: true})
	former := tree.Process{Pid: p.Pid(), Start: p.child.Start + 1}
	if n, err := reap(t.Context(), 0, finder{roots: []tree.Process{former}}); n != 0 || err != nil || gone(p.child) {
		t.Errorf("ended %d, %v; a stranger is gone: %t", n, err, gone(p.child))
	}
	if err := former.Signal(syscall.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal gave %v", err)
	}
}

func TestReapRespectsTheContext(t *testing.T) {
	session := fmt.Sprintf("ctx-%d", os.Getpid())
	s := bash(`trap "" TERM; echo ready; while :; do read -t 0.05 <> <(:); done`)
	s.Session, s.Grace = session, time.Minute
	p := mustStart(t, t.Context(), s)
	if _, err := p.Stdout().Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := ReapSession(ctx, session); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, err := ReapSession(t.Context(), session); err != nil {
		t.Error(err)
	}
	if got := p.Wait(); got.Signal != "SIGKILL" {
		t.Errorf("got %+v", got)
	}
}
