package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// newTerminal makes a terminal: what is written to keys is typed at it.
func newTerminal(t *testing.T) (keys, terminal *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keys.Close() })
	if err := unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return keys, terminal
}

// unread is how many bytes were typed that nobody has read.
func unread(t *testing.T, terminal *os.File) int {
	t.Helper()
	n, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCINQ)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func press(t *testing.T, keys *os.File, text string) {
	t.Helper()
	if _, err := keys.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// TestTypedAheadIsDropped: what was typed before the first question, such as the next command of a shell, answers nothing.
func TestTypedAheadIsDropped(t *testing.T) {
	keys, terminal := newTerminal(t)
	const ahead = "make test\nnpm run\n"
	press(t, keys, ahead)
	fd := int(terminal.Fd())
	for end := time.Now().Add(10 * time.Second); unread(t, terminal) < len(ahead); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("what was typed does not arrive")
		}
	}
	k := &Keyboard{raw: func() (func(), error) { return raw(fd) }, in: terminal}
	if err := k.Open(); err != nil {
		t.Fatal(err)
	}
	press(t, keys, "r")
	if key := <-k.Pressed(); key != 'r' {
		t.Errorf("the first key is %q", key)
	}
	k.Close()
}

// TestPasswordIsCalledOff: the echo is on again when the person gives up.
func TestPasswordIsCalledOff(t *testing.T) {
	_, terminal := newTerminal(t)
	fd, err := unix.Dup(int(terminal.Fd())) // it stays open: at a number that is given away again, the read that is left behind would read there
	if err != nil {
		t.Fatal(err)
	}
	echo := func() bool {
		state, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		return state.Lflag&unix.ECHO != 0
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := password(ctx, fd)
		ended <- err
	}()
	for end := time.Now().Add(10 * time.Second); echo() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if echo() {
		t.Fatal("it is shown what is typed")
	}
	stop()
	if err := <-ended; !errors.Is(err, ErrInterrupted) || !echo() {
		t.Errorf("%v, echo %t", err, echo())
	}
}

// TestPassword reads a line.
func TestPassword(t *testing.T) {
	keys, terminal := newTerminal(t)
	go func() { _, _ = keys.WriteString("sk-1\n") }()
	if text, err := password(t.Context(), int(terminal.Fd())); text != "sk-1" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
