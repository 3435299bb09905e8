package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/fault"
)

// diskFault gives an error about a full or broken disk its kind, with the file system named. Others it gives back.
func diskFault(err error, dir string) error {
	what := ""
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ENOSPC) || strings.Contains(text, "No space left on device"):
		what = "is full"
	case errors.Is(err, syscall.EDQUOT) || strings.Contains(text, "Disk quota exceeded"):
		what = "has reached its quota"
	case errors.Is(err, syscall.EROFS) || strings.Contains(text, "Read-only file system"):
		what = "is read-only"
	case strings.Contains(text, "unable to write") && lowOnSpace(dir): // git does not always say why
		what = "is full"
	default:
		return err
	}
	if strings.Contains(text, "remote: fatal") || strings.Contains(text, "remote: error") {
		return fault.New(fault.Infra, "the disk of the remote %s: %w", what, err)
	}
	return fault.New(fault.Infra, "the file system at %s %s: %w", mountPoint(dir), what, err).
		WithHint("make room there; the task goes on by itself")
}

// lowOnSpace tells whether less than 64 MiB, or no inode, is left where dir lies.
func lowOnSpace(dir string) bool {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return false
	}
	return uint64(st.Bavail)*uint64(st.Bsize) < 64<<20 || st.Files > 0 && st.Ffree == 0
}

// mountPoint gives the top folder of the file system that dir lies on.
func mountPoint(dir string) string {
	device, ok := deviceOf(dir)
	for ok && dir != filepath.Dir(dir) {
		up, found := deviceOf(filepath.Dir(dir))
		if !found || up != device {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

func deviceOf(dir string) (uint64, bool) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true
}
