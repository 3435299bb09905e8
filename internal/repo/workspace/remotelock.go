package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// A killed git leaves its lock files behind, and they name no owner. Before we push to a repository on this machine, we write a note into
// it, and remove the note when the push has ended. A lock on one of the task's own refs that is newer than a leftover note belongs to a
// killed push and is removed. Every other lock is reported and left to people.

// forgotten is the age after which a lock counts as stale when it was taken on another machine, where we can't see whether its git is
// running.
const forgotten = 10 * time.Minute

// pushNotes manages the notes of one task.
type pushNotes struct {
	core
}

// note returns the path of the task's note in the remote, "" when the remote is not a repository on this machine.
func (n *pushNotes) note(rem remote) string {
	if !rem.path {
		return ""
	}
	dir, err := filepath.EvalSymlinks(strings.TrimPrefix(rem.url, "file://"))
	if err != nil {
		return ""
	}
	if info, err := os.Stat(filepath.Join(dir, ".git")); err == nil && info.IsDir() {
		dir = filepath.Join(dir, ".git")
	}
	if !exists(filepath.Join(dir, "HEAD")) {
		return ""
	}
	return filepath.Join(dir, "longshift-push-"+n.id)
}

// begin removes the locks of a killed push and writes the note for this one.
func (n *pushNotes) begin(ctx context.Context, note string) error {
	if note == "" {
		return nil
	}
	if n.left(ctx, note) {
		return nil // the note keeps its time
	}
	err := writeFile(note, []byte(machine()+"\n"))
	if errors.Is(err, fs.ErrPermission) { // the error of git itself is clearer
		return nil
	}
	if err == nil {
		err = n.follow(note)
	}
	return err
}

// follow makes the note newer than each lock that is there already. The clock of file systems stands still for some milliseconds, and a
// lock of the same time as the note would count as ours.
func (n *pushNotes) follow(note string) error {
	for path := range n.locks(note) {
		lock, err := os.Lstat(path)
		if err != nil {
			continue
		}
		written, err := os.Stat(note)
		if err == nil && !lock.ModTime().Before(written.ModTime()) {
			later := lock.ModTime().Add(time.Millisecond)
			err = os.Chtimes(note, later, later)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// locks gives the paths of the locks on the task's own refs in the repository that has the note.
func (n *pushNotes) locks(note string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, ref := range []string{fenceRef(n.id), checkpointRef(n.id), n.state.branchRef()} {
			if !yield(filepath.Join(filepath.Dir(note), filepath.FromSlash(ref)) + ".lock") {
				return
			}
		}
	}
}

// left removes the locks of a killed push and reports whether another one may still be in use.
func (n *pushNotes) left(ctx context.Context, note string) (inUse bool) {
	begun, err := os.Stat(note)
	if err != nil {
		return false
	}
	by, err := os.ReadFile(note)
	here := err == nil && strings.TrimSpace(string(by)) == machine()
	dir := filepath.Dir(note)
	for path := range n.locks(note) {
		lock, err := os.Lstat(path)
		if err != nil || !lock.Mode().IsRegular() || lock.ModTime().Before(begun.ModTime()) {
			continue
		}
		if here && gitAt(strings.TrimSuffix(dir, "/.git")) || !here && time.Since(lock.ModTime()) < forgotten {
			inUse = true
		} else if os.Remove(path) == nil {
			n.log.WarnContext(ctx, "removed a lock that a killed push of the task left", "task", n.id, "path", path)
		}
	}
	return inUse
}

// machine identifies the machine or container whose processes /proc shows; "" without /proc.
func machine() string {
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if err1 != nil || err2 != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// gitAt reports whether a git runs in a repository. Processes of another user may be invisible and count as running.
func gitAt(dir string) bool {
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range procs {
		if gitIn(p, dir) {
			return true
		}
		comm, _ := os.ReadFile(p + "/comm")
		if _, err := os.Readlink(p + "/cwd"); errors.Is(err, fs.ErrPermission) && strings.HasPrefix(string(comm), "git") {
			return true
		}
	}
	return len(procs) == 0
}

// heldLock is a lock on the remote that blocked a push.
type heldLock struct {
	path string
	age  time.Duration // 0 if unknown
}

func (h *heldLock) Error() string {
	if h.age <= 0 {
		return h.path + " is there"
	}
	return fmt.Sprintf("%s has been there for %s", h.path, h.age.Round(time.Second))
}

// heldBy returns the lock that made a push fail, nil when the cause is another.
func (r remote) heldBy(err error) error {
	var e *git.Error
	if !errors.As(err, &e) || e.LockFile() == "" {
		return nil
	}
	held := &heldLock{path: filepath.Clean(e.LockFile())}
	if info, err := os.Lstat(held.path); err == nil && r.path {
		held.age = time.Since(info.ModTime())
	}
	return held
}

// restless is the fault for a remote whose refs keep changing or are locked.
func (r remote) restless(err error) error {
	if held, ok := errors.AsType[*heldLock](err); ok {
		return fault.New(fault.Infra, "%s is locked: %w", r.name, held).
			WithHint("if no git is at work there, it was left by one that was killed: remove the file, then resume")
	}
	return fault.New(fault.Infra, "%s keeps moving: %w", r.name, err)
}
