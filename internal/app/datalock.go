package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/filelock"
)

// lockFile is locked by the worker that uses the data directory, and contains its process id.
const lockFile = "worker.lock"

// pidWidth is how many bytes the process id takes in the lock file, whatever its length.
const pidWidth = 20

// endsWithin is how long a worker that was killed with those who started it may hold the lock while the next one starts.
const endsWithin = 3 * time.Second

// lockData locks the data directory for this worker. Two workers would act as the same host and end each other's programs. The lock is
// released when the process ends.
func lockData(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.New(fault.Infra, "make the data directory: %w", err)
	}
	path := filepath.Join(dir, lockFile)
	ctx, cancel := context.WithTimeout(context.Background(), endsWithin)
	defer cancel()
	unlock, err = filelock.Take(ctx, path, os.O_CREATE)
	if errors.Is(err, context.DeadlineExceeded) {
		who, _ := os.ReadFile(path)
		return nil, fault.New(fault.Conflict, "the data directory %s is in use by another worker, process %s", dir,
			cmp.Or(string(bytes.TrimSpace(who[:min(len(who), pidWidth)])), "unknown")).
			WithHint("end that one first, or give this one a directory of its own with LONGSHIFT_DATA")
	}
	if err != nil {
		return nil, fault.New(fault.Infra, "lock the data directory: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		unlock()
		return nil, fault.New(fault.Infra, "lock the data directory: %w", err)
	}
	defer f.Close()
	// On a full disk only what overwrites the last id has room. A worker has to start there, to make room, and needs the lock alone.
	if _, err := f.WriteAt(fmt.Appendf(nil, "%-*d", pidWidth, os.Getpid()), 0); err != nil {
		_ = f.Truncate(0) // rather than to name another process
	}
	return unlock, nil
}
