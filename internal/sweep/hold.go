package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// holdLook is how often a folder that another holds is tried again.
const holdLook = 5 * time.Millisecond

// hold keeps other processes and goroutines from noting an owner of the folder and from removing it, until release is called or the process
// ends. noted is false for a folder without a note, which nobody removes: it is not held.
func hold(ctx context.Context, folder string) (release func(), noted bool, err error) {
	path := filepath.Join(folder, ownerFile)
	tick := time.NewTicker(holdLook)
	defer tick.Stop()
	for {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return func() {}, false, nil
		} else if err != nil {
			return nil, false, err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && isAt(path, f) {
			return func() { f.Close() }, true, nil
		}
		f.Close()
		switch {
		case err == nil: // the note was replaced, or went with its folder
			continue
		case err != syscall.EWOULDBLOCK && err != syscall.EINTR:
			return nil, false, os.NewSyscallError("flock", err)
		}
		select {
		case <-ctx.Done():
			return nil, false, fmt.Errorf("wait for the folder: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// errInUse is the error for a folder that has another owner now than when it was looked at.
var errInUse = errors.New("it is in use again")

// holdOf holds the folder of this owner. It fails with errInUse when the folder has another owner, or no note.
func holdOf(ctx context.Context, dir string, o Owner) (release func(), err error) {
	release, noted, err := hold(ctx, dir)
	if err != nil {
		return nil, err
	}
	now, known, err := ownerOf(dir)
	if err != nil || !noted || !known || now != o {
		release()
		return nil, errors.Join(err, errInUse)
	}
	return release, nil
}

// isAt tells whether the file still has this path: a lock on one that was replaced or removed protects nothing.
func isAt(path string, f *os.File) bool {
	mine, err1 := f.Stat()
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}
