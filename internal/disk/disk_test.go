package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

func says(t *testing.T, err error, words ...string) {
	t.Helper()
	if fault.KindOf(err) != fault.Infra {
		t.Fatalf("kind %q: %v", fault.KindOf(err), err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("it does not say %q: %v", w, err)
		}
	}
}

func TestFault(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	says(t, Fault(fmt.Errorf("write x: %w", syscall.ENOSPC), dir), "file system at "+mountPoint(dir)+" is full")
	says(t, Fault(fmt.Errorf("write x: %w", syscall.EDQUOT), dir), "has reached its quota")
	says(t, Fault(errors.New("git commit: fatal: unable to write new index file: No space left on device"), dir), "is full", "unable to write new index file")
	says(t, Fault(errors.New("git status: fatal: sha1 file 'x' write error. Out of diskspace"), dir), "is full")
	says(t, Fault(errors.New("git push: remote: fatal: write error: No space left on device"), dir), "disk of the remote")
	says(t, Fault(fmt.Errorf("open: %w", syscall.EROFS), dir), "read-only")
	for err, want := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EROFS: false, syscall.EACCES: false} {
		if NoRoom(Fault(fmt.Errorf("write x: %w", err), dir)) != want {
			t.Errorf("%v: no room is %v", err, !want)
		}
	}
	other := errors.New("other")
	if Fault(other, dir) != other {
		t.Error("another error is changed")
	}
	if mountPoint("/proc/self") != "/proc" {
		t.Errorf("mount point of /proc/self is %s", mountPoint("/proc/self"))
	}
}

// A write of ours that finds no room is a fault of the surroundings, whatever it was called on its way up. Words alone are not.
func TestOurs(t *testing.T) {
	t.Parallel()
	at := &os.PathError{Op: "write", Path: filepath.Join(t.TempDir(), "x"), Err: syscall.ENOSPC}
	for _, err := range []error{fmt.Errorf("run: %w", at), fault.New(fault.Work, "run: %w", at),
		fault.New(fault.Input, "make: %w", &os.PathError{Path: at.Path, Err: syscall.EDQUOT})} {
		says(t, Ours(err), err.Error())
		if fault.HintOf(Ours(err)) == "" {
			t.Errorf("no way out: %v", Ours(err))
		}
	}
	for _, err := range []error{fault.New(fault.Work, "it says: No space left on device"), Fault(at, "/"), errors.New("other")} {
		if Ours(err) != err {
			t.Errorf("%v is changed", err)
		}
	}
}
