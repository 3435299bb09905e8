package filelock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// take gives what Take returns, when it does.
func take(ctx context.Context, path string) <-chan error {
	taken := make(chan error, 1)
	go func() {
		release, err := Take(ctx, path, 0)
		if err == nil {
			release()
		}
		taken <- err
	}()
	return taken
}

func held(t *testing.T) (path string, release func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.lock")
	release, err := Take(t.Context(), path, os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	return path, release
}

func TestTakeWaits(t *testing.T) {
	path, release := held(t)
	taken := take(t.Context(), path)
	select {
	case err := <-taken:
		t.Fatalf("taken by two (%v)", err)
	case <-time.After(5 * look):
	}
	release()
	if err := <-taken; err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestTakeEndsWithItsContext(t *testing.T) {
	path, release := held(t)
	defer release()
	ctx, cancel := context.WithCancelCause(t.Context())
	taken, why := take(ctx, path), errors.New("the worker stops")
	cancel(why)
	if err := <-taken; !errors.Is(err, why) || err.Error() != "wait for lock a.lock: the worker stops" {
		t.Error(err)
	}
}

// Whoever waits gets the file that is at the path, not one that was there.
func TestTakeTheFileThatIsThere(t *testing.T) {
	path, release := held(t)
	defer release() // of the file that is gone
	taken := take(t.Context(), path)
	if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := <-take(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for a file that is not there", err)
	}
}
