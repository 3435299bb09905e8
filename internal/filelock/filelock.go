// Package filelock locks files between the processes and goroutines of one machine. It may not know what the files hold, and removes none.
package filelock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// look is how often a lock that another holds is tried again.
const look = 5 * time.Millisecond

// Take waits for the lock of the file at path, which is held until release is called or the process ends. flags are os.O_CREATE or 0: a file
// that is not there is made, or is an error that matches fs.ErrNotExist.
func Take(ctx context.Context, path string, flags int) (release func(), err error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		f, err := try(path, flags)
		if err != nil {
			return nil, err
		}
		if f != nil {
			return func() {
				// Closing is not enough: a program that is being started right now still holds a copy of the descriptor.
				_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
				f.Close()
			}, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for lock %s: %w", filepath.Base(path), context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// try returns nil when the lock is held, or when the file was replaced or removed meanwhile: a lock on that one protects nothing.
func try(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil && isAt(path, f) {
		return f, nil
	}
	f.Close()
	if err != nil && err != syscall.EWOULDBLOCK && err != syscall.EINTR {
		return nil, os.NewSyscallError("flock", err)
	}
	return nil, nil
}

func isAt(path string, f *os.File) bool {
	mine, err1 := f.Stat()
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}
