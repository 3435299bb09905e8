// Package disk tells faults of a full or broken disk from others. It removes nothing and waits for nothing; callers do.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/fault"
)

// least is how much room a session or a command has to find, in bytes: with less it would end in the middle of something.
const least = 64 << 20

// Fault gives an error about a full or broken disk its kind, with the file system named. Others it gives back.
func Fault(err error, dir string) error {
	what := ""
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ENOSPC) || strings.Contains(text, "No space left on device") ||
		strings.Contains(text, "Out of diskspace"): // git says so of an index
		what = "is full"
	case errors.Is(err, syscall.EDQUOT) || strings.Contains(text, "Disk quota exceeded"):
		what = "has reached its quota"
	case errors.Is(err, syscall.EROFS) || strings.Contains(text, "Read-only file system"):
		what = "is read-only"
	case strings.Contains(text, "unable to write") && Low(dir): // git does not always say why
		what = "is full"
	default:
		return err
	}
	if strings.Contains(text, "remote: fatal") || strings.Contains(text, "remote: error") {
		return fault.New(fault.Infra, "the disk of the remote %s: %w", what, err)
	}
	return fault.New(fault.Infra, "the file system at %s %s: %w", mountPoint(dir), what, err).
		WithHint("make room there; no work is lost")
}

// Ours gives an error of our own write to a full disk its kind, whatever kind it had on its way up. It goes by the error number and not
// by words, which may be those of an agent.
func Ours(err error) error {
	var at *fs.PathError
	explained := fault.KindOf(err) == fault.Infra && fault.HintOf(err) != ""
	if NoRoom(err) && !explained && errors.As(err, &at) {
		return Fault(err, filepath.Dir(at.Path))
	}
	return err
}

// NoRoom tells whether an error says that a disk is full or a quota used up. It goes by the error number.
func NoRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Full gives the fault when whoever works below dir finds no room there: less than 64 MiB, no inode, or a quota that is used up.
func Full(dir string) error {
	f, err := os.CreateTemp(dir, ".room-*")
	if err == nil {
		_, err = f.Write(make([]byte, 1<<20)) // a quota shows in no figure
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err == nil && Low(dir) {
		err = syscall.ENOSPC
	}
	if err == nil {
		return nil
	}
	return Fault(err, dir)
}

// Low tells whether less than 64 MiB, or no inode, is left where dir lies.
func Low(dir string) bool {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return false
	}
	return uint64(st.Bavail)*uint64(st.Bsize) < least || st.Files > 0 && st.Ffree == 0
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
