package config

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/fault"
)

// inherited returns a file descriptor that nothing but the configuration will close.
func inherited(t *testing.T, f *os.File) int {
	t.Helper()
	fd, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) }) // for a failed test; the number is not reused before
	return fd
}

func pipe(t *testing.T, content string, finished bool) int {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	if _, err := w.WriteString(content); err != nil {
		t.Fatal(err)
	}
	if finished {
		_ = w.Close()
	}
	return inherited(t, r)
}

func isOpen(fd int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil
}

func TestSecretFromDescriptor(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	write(t, name, "  "+key+"\n")
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for kind, fd := range map[string]int{"pipe": pipe(t, key+"\n", true), "file": inherited(t, file)} {
		c, err := Load(lookup("LONGSHIFT_GITHUB_TOKEN_FD=" + strconv.Itoa(fd)))
		if err != nil {
			t.Fatal(kind, err)
		}
		if isOpen(fd) {
			t.Errorf("%s: still open, so children would inherit it", kind)
		}
		for range 2 {
			if got, err := c.GitHub.Token.Read(); got != key || err != nil || c.GitHub.Token.Source() != "LONGSHIFT_GITHUB_TOKEN_FD" {
				t.Errorf("%s: %q from %s, %v", kind, got, c.GitHub.Token.Source(), err)
			}
		}
	}
}

// No mistake shows what was read.
func TestSecretDescriptorMistakes(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for _, c := range []struct{ fd, want string }{
		{"x", "not the number of an inherited file descriptor"},
		{"2", "not the number of an inherited file descriptor"},
		{"65000", "is not open, or was read before"},
		{strconv.Itoa(inherited(t, dir)), "neither a pipe, a socket nor a file"},
		{strconv.Itoa(pipe(t, " \n", true)), "holds no key"},
		{strconv.Itoa(pipe(t, key+"\n"+key, true)), "holds more than one line"},
	} {
		_, err := Load(lookup("LONGSHIFT_GITHUB_TOKEN_FD=" + c.fd))
		if err == nil || !strings.Contains(err.Error(), "LONGSHIFT_GITHUB_TOKEN_FD") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.fd, err, c.want)
			continue
		}
		if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "\n") || fault.KindOf(err) != fault.Input {
			t.Errorf("%s: %v", c.fd, err)
		}
	}
}

// A writer that never finishes makes the process fail with a message instead of hanging.
func TestSecretDescriptorNeverEnds(t *testing.T) {
	fd := pipe(t, key, false)
	_, err := drain(fd, 10*time.Millisecond)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if isOpen(fd) {
		t.Error("still open")
	}
}

func TestSecretTooLong(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	write(t, name, strings.Repeat("k", mostInherited+1))
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, err = Load(lookup("LONGSHIFT_CLAUDE_TOKEN_FD=" + strconv.Itoa(inherited(t, file))))
	if err == nil || !strings.Contains(err.Error(), "holds more than 65536 bytes") {
		t.Errorf("got %.200v", err)
	}
}
