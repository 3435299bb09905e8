package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// lockFile is locked by the worker that uses the data directory, and contains its process id.
const lockFile = "worker.lock"

// pidWidth is how many bytes the process id takes in the lock file, whatever its length.
const pidWidth = 20

// A worker that was killed with those who started it may hold the lock for a moment while the next one starts.
const (
	endsWithin = 3 * time.Second
	lookAgain  = 20 * time.Millisecond
)

// lockData locks the data directory for this worker. Two workers would act as the same host and end each other's programs. The lock is
// released when the process ends.
func lockData(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.New(fault.Infra, "make the data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.New(fault.Infra, "lock the data directory: %w", err)
	}
	for until := time.Now().Add(endsWithin); ; time.Sleep(lookAgain) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(until) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer f.Close()
		who, _ := io.ReadAll(io.LimitReader(f, pidWidth))
		return nil, fault.New(fault.Conflict, "the data directory %s is in use by another worker, process %s", dir,
			cmp.Or(string(bytes.TrimSpace(who)), "unknown")).
			WithHint("end that one first, or give this one a directory of its own with LONGSHIFT_DATA")
	}
	if err != nil {
		f.Close()
		return nil, fault.New(fault.Infra, "lock the data directory: %w", err)
	}
	// On a full disk only what overwrites the last id has room. A worker has to start there, to make room, and needs the lock alone.
	if _, err := f.WriteAt(fmt.Appendf(nil, "%-*d", pidWidth, os.Getpid()), 0); err != nil {
		_ = f.Truncate(0) // rather than to name another process
	}
	return func() {
		// Closing is not enough: a program that is being started right now still holds a copy of the descriptor.
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		f.Close()
	}, nil
}
