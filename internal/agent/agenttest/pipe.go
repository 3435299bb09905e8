package agenttest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Pipe makes a named pipe that opens at once for a writer and stays empty for a reader. The channel is closed when somebody has
// written to it.
func Pipe(t testing.TB, dir, name string) <-chan struct{} {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	written := make(chan struct{})
	go func() {
		if n, _ := f.Read(make([]byte, 16)); n > 0 {
			close(written)
		}
	}()
	return written
}
