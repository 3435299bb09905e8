package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/test/lab"
)

// terminal is a program with a person in front of it.
type terminal struct {
	t      testing.TB
	master *os.File
	ended  chan error

	mu  sync.Mutex
	out strings.Builder
}

// openTerminal starts a program on a pseudoterminal of its own.
func openTerminal(t testing.TB, cmd *exec.Cmd) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	must(t, err)
	control, err := master.SyscallConn()
	must(t, err)
	number := 0
	must(t, control.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
		if err == nil {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 160})
		}
	}))
	must(t, err)
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = side, side, side
	cmd.SysProcAttr.Setctty = true
	cmd.Env = append(cmd.Env, "TERM=xterm")
	must(t, cmd.Start())
	side.Close()
	w := &terminal{t: t, master: master, ended: make(chan error, 1)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			w.mu.Lock()
			w.out.Write(buffer[:n])
			w.mu.Unlock()
			if err != nil { // all who had it open are gone
				return
			}
		}
	}()
	go func() {
		err := cmd.Wait()
		<-read // its last words
		w.ended <- err
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails when it has ended
		<-read
		master.Close()
	})
	return w
}

func (w *terminal) shown() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.String()
}

// waits waits for a text, then types keys.
func (w *terminal) waits(text, keys string) {
	w.t.Helper()
	defer func() {
		if w.t.Failed() {
			w.t.Logf("the terminal shows:\n%s", w.shown())
		}
	}()
	lab.Eventually(w.t, 3*time.Minute, "the terminal shows "+text, func() bool {
		if len(w.ended) > 0 {
			w.t.Fatalf("the program has ended before the terminal shows %q", text)
		}
		return strings.Contains(w.shown(), text)
	})
	if _, err := w.master.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
}

// code waits for the end and gives the exit code.
func (w *terminal) code(within time.Duration) int {
	w.t.Helper()
	select {
	case err := <-w.ended:
		if exit, ok := err.(*exec.ExitError); ok {
			return exit.ExitCode()
		}
		must(w.t, err)
	case <-time.After(within):
		w.t.Fatalf("it has not ended in %s:\n%s", within, w.shown())
	}
	return 0
}
