package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// A git that is killed leaves its lock files behind, and they name no owner. Before we push to a repository on this machine we
// leave a note in it, which goes when the push is through. A lock on one of the task's own refs that is younger than a note that was
// left is one of a push that was killed, and is removed. Every other lock is left to people, and named.

// forgotten is how old a lock has to be when the machine that took it is not this one, so that nobody can tell whether its git lives.
const forgotten = 10 * time.Minute

// pushNotes writes the notes of one task.
type pushNotes struct {
	id    string
	state *state
	log   *slog.Logger
}

// note is the file that says that a push of the task is under way; "" when the remote is no repository that we can find on this machine.
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

// begin removes what a killed push has left, and notes the one that begins.
func (n *pushNotes) begin(ctx context.Context, note string) error {
	if note == "" {
		return nil
	}
	if n.left(ctx, note) {
		return nil // the note stays as old as it is
	}
	err := writeFile(note, []byte(machine()+"\n"))
	if errors.Is(err, fs.ErrPermission) { // git says best what is not permitted
		return nil
	}
	return err
}

// left removes the locks of a push that was killed, and tells whether there is one that may still be in use.
func (n *pushNotes) left(ctx context.Context, note string) (inUse bool) {
	begun, err := os.Stat(note)
	if err != nil {
		return false
	}
	by, err := os.ReadFile(note)
	here := err == nil && strings.TrimSpace(string(by)) == machine()
	dir := filepath.Dir(note)
	for _, ref := range []string{fenceRef(n.id), checkpointRef(n.id), n.state.branchRef()} {
		path := filepath.Join(dir, filepath.FromSlash(ref)) + ".lock"
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

// machine names what /proc shows processes of; "" where there is none.
func machine() string {
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if err1 != nil || err2 != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// gitAt tells whether a git works in a repository, as far as can be seen: one of another user may.
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

// heldLock is a lock on the remote that was in the way.
type heldLock struct {
	path string
	age  time.Duration // 0 when it can't be told
}

func (h *heldLock) Error() string {
	if h.age <= 0 {
		return h.path + " is there"
	}
	return fmt.Sprintf("%s has been there for %s", h.path, h.age.Round(time.Second))
}

// heldBy gives the lock that a push has failed for, nil when it was none.
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

// restless says why a remote does not take what is pushed to it.
func (r remote) restless(err error) error {
	var held *heldLock
	if errors.As(err, &held) {
		return fault.New(fault.Infra, "%s is locked: %w", r.name, held).
			WithHint("if no git is at work there, it was left by one that was killed: remove the file, then resume")
	}
	return fault.New(fault.Infra, "%s keeps moving: %w", r.name, err)
}
