package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// boxPrefix is the prefix of the temporary folders of boxes.
const boxPrefix = "longshift-box-"

// madeFile lists the placeholders of protected paths, each terminated by NUL, so that they can be removed after a worker
// was killed.
const madeFile = "made"

// makeFolder creates a folder and locks it, so that no sweep removes it. If another worker's sweep comes between the two
// steps, it tries again.
func makeFolder() (dir string, lock *os.File, err error) {
	for range 200 { // on a slow disk sweeps win often
		if dir, err = os.MkdirTemp("", boxPrefix); err != nil {
			return "", nil, err
		}
		if lock, err = lockFolder(dir); err != nil {
			continue // a sweep is about to remove it
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

// lockFolder marks a folder as in use while the file is open. The kernel releases the lock of a killed worker.
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

// sweep removes what killed workers have left: their folders, and empty placeholders of protected paths.
func sweep() {
	list, _ := filepath.Glob(filepath.Join(os.TempDir(), boxPrefix+"*"))
	for _, dir := range list {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !own(info) {
			continue // anybody can create files in the temporary folder
		}
		lock, err := lockFolder(dir)
		if err != nil {
			continue // in use
		}
		b, _ := os.ReadFile(filepath.Join(dir, madeFile))
		for _, path := range slices.Backward(strings.Split(string(b), "\x00")) {
			if real, err := filepath.EvalSymlinks(filepath.Dir(path)); path != "" && err == nil && real == filepath.Dir(path) {
				syscall.Rmdir(path) // only if empty, and not through a link that may have replaced it
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
