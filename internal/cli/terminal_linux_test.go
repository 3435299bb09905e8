package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/cli/clitest"
)

// terminal is a program on a pseudoterminal.
type terminal struct {
	t      *testing.T
	master *os.File
	out    clitest.Buffer
	ended  chan error
}

// startTerminal runs the command line in dir, on a terminal of its own.
func startTerminal(t *testing.T, dir, term string, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	control, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	err = control.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
		if err == nil {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: screenRows, Col: screenColumns})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("longshift") // this test binary, by TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TERM="+term, "HOME="+t.TempDir())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = side, side, side
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	side.Close()
	w := &terminal{t: t, master: master, ended: make(chan error, 1)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			w.out.Write(buffer[:n])
			if err != nil { // all who had it open are gone
				return
			}
		}
	}()
	go func() {
		err := cmd.Wait()
		<-read // all that it has written
		w.ended <- err
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails when it has ended
		<-read
		master.Close()
	})
	return w
}

// shown is what a person sees.
func (w *terminal) shown() string { return screenOf(w.out.String()) }

// waits waits for a text, then types.
func (w *terminal) waits(text, keys string) {
	w.t.Helper()
	w.t.Logf("wait for %q", text)
	defer func() {
		if w.t.Failed() {
			w.t.Logf("shown: %q", w.shown())
		}
	}()
	clitest.Eventually(w.t, text, func() bool { return strings.Contains(w.shown(), text) })
	if _, err := w.master.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
}

// code waits for the end.
func (w *terminal) code() int {
	w.t.Helper()
	var err error
	clitest.Eventually(w.t, "the end", func() bool {
		select {
		case err = <-w.ended:
			return true
		default:
			return false
		}
	})
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	} else if err != nil {
		w.t.Fatal(err)
	}
	return 0
}
