package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// boxPrefix begins the name of every folder that a box makes for itself in the folder for temporary files.
const boxPrefix = "longshift-box-"

// madeFile lists the folders made to hold protected paths, NUL after each, for whoever cleans up after a killed worker.
const madeFile = "made"

// makeFolder makes a folder that no sweep takes for one that was left. A sweep of another worker may come between making and
// marking it; then the next one is tried.
func makeFolder() (dir string, lock *os.File, err error) {
	for range 20 {
		if dir, err = os.MkdirTemp("", boxPrefix); err != nil {
			return "", nil, err
		}
		if lock, err = lockFolder(dir); err != nil {
			continue // it is about to be removed
		}
		if there, err := os.Stat(dir); err == nil {
			if mine, err := lock.Stat(); err == nil && os.SameFile(there, mine) {
				return dir, lock, nil
			}
		}
		lock.Close()
		err = os.ErrNotExist
	}
	return "", nil, err
}

// lockFolder marks a folder as in use for as long as the file is open. A worker that is killed lets go of it.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, os.NewSyscallError("flock", err)
	}
	return f, nil
}

func (s *session) noteMade(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return os.WriteFile(s.path(madeFile), []byte(strings.Join(paths, "\x00")+"\x00"), 0o600)
}

// sweep removes what killed workers have left: their folders, and the empty folders that held protected paths.
func sweep() {
	list, _ := filepath.Glob(filepath.Join(os.TempDir(), boxPrefix+"*"))
	for _, dir := range list {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !own(info) {
			continue // the folder for temporary files is everybody's
		}
		lock, err := lockFolder(dir)
		if err != nil {
			continue // in use
		}
		b, _ := os.ReadFile(filepath.Join(dir, madeFile))
		for _, path := range slices.Backward(strings.Split(string(b), "\x00")) {
			if real, err := filepath.EvalSymlinks(filepath.Dir(path)); path != "" && err == nil && real == filepath.Dir(path) {
				syscall.Rmdir(path) // only if empty, and only where it was made: a link may stand in its place now
			}
		}
		os.RemoveAll(dir)
		lock.Close()
	}
}

func own(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
