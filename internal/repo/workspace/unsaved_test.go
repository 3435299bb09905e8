package workspace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// unsaved fails unless the manager reports this about task t-1.
func unsaved(t *testing.T, what string, m *Manager, want string, alone bool) {
	t.Helper()
	why, only, err := m.Unsaved(t.Context(), "t-1")
	if err != nil || why != want || only != alone {
		t.Errorf("%s: %q (the checkpoint alone %v), want %q (%v): %v", what, why, only, want, alone, err)
	}
}

// Work that exists only in a workspace is reported until it also exists elsewhere.
func TestUnsaved(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"a.txt": "a\n"})
	b := newBench(t, bare)
	unsaved(t, "no workspace", b.m, "", false)
	ws, tree := b.prepare("t-1", 1)
	unsaved(t, "untouched", b.m, "", false)
	must(t, os.WriteFile(filepath.Join(ws.Dir, "b.txt"), []byte("b\n"), 0o600))
	unsaved(t, "a new file", b.m, "changes that were not committed", false)
	b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
	unsaved(t, "a commit", b.m, "commits that were not pushed", false)
	must(t, tree.Checkpoint(t.Context()))
	unsaved(t, "a checkpoint", b.m, "", true)
	gittest.Git(t, bare, "update-ref", "-d", checkpointRef("t-1"))
	unsaved(t, "a checkpoint that is not there any more", b.m, "commits that were not pushed", false)
}

func TestUnsavedOfAPushedBranch(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"a.txt": "a\n"}))
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
	_, err := tree.Push(t.Context())
	must(t, err)
	unsaved(t, "pushed", b.m, "", false)
	must(t, os.WriteFile(b.m.place("t-1").state(), []byte("{"), 0o600))
	unsaved(t, "a damaged state", b.m, "its state can't be read", false)
}

// More new files than are listed can't be committed, and stay.
func TestTooManyFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"a.txt": "a\n"}))
	_, tree := b.prepare("t-1", 1)
	b.m.runner.most = 2000
	b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
	_, err := tree.Push(t.Context())
	must(t, err)
	for i := range 300 {
		gittest.Write(t, tree.Dir(), map[string]string{fmt.Sprint("many/", i): "x\n"})
	}
	_, err = tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "Work"})
	wantFault(t, err, fault.Work, "too many new and changed files")
	unsaved(t, "too many", b.m, "more changes than can be listed", false)
	gittest.Write(t, tree.Dir(), map[string]string{".gitignore": "many/\n"})
	b.commit(tree, "2", nil)
}

// A workspace whose preparation was interrupted holds no work, and is removed.
func TestUnsavedOfAHalfMadeWorkspace(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"a.txt": "a\n"}))
	b.prepare("t-1", 1)
	p := b.m.place("t-1")
	must(t, os.Remove(p.state()))
	unsaved(t, "without its state", b.m, "its state can't be read", false)
	must(t, os.Remove(p.ready()))
	unsaved(t, "half made", b.m, "", false)
	must(t, b.m.Remove(t.Context(), "t-1", false))
	if exists(p.work()) || exists(p.git()) {
		t.Error("it is still there")
	}
}

// A worker can be killed when its push has reached the remote, and before it has recorded that.
func TestUnsavedOfAPushThatWasNotRecorded(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"a.txt": "a\n"}))
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
	killed := func(push func()) {
		before, err := os.ReadFile(b.m.place("t-1").state())
		must(t, err)
		push()
		must(t, os.WriteFile(b.m.place("t-1").state(), before, 0o600))
	}
	killed(func() { must(t, tree.Checkpoint(t.Context())) })
	unsaved(t, "a checkpoint", b.m, "", true)
	lost := b.m
	b.m = b.manager(t.TempDir())
	_, second := b.prepare("t-1", 2)
	unsaved(t, "a checkpoint that another host goes on with", lost, "", true)
	half := filepath.Join(tree.Dir(), "half.txt")
	must(t, os.WriteFile(half, []byte("half\n"), 0o600))
	if why, _, err := lost.Unsaved(t.Context(), "t-1"); err != nil || why != "changes that were not committed" {
		t.Errorf("with a new file: %q: %v", why, err)
	}
	must(t, os.Remove(half))
	b.commit(second, "2", map[string]string{"c.txt": "c\n"})
	must(t, second.Checkpoint(t.Context()))
	unsaved(t, "within a later checkpoint", lost, "", true)
	killed(func() {
		_, err := second.Push(t.Context())
		must(t, err)
	})
	unsaved(t, "within the branch, on the other host", lost, "", false)
	unsaved(t, "a branch", b.m, "", false)
	must(t, b.m.Remove(t.Context(), "t-1", false))
	unsaved(t, "within the branch of a task that has ended", lost, "", false)
}

// On a host that has lost a task to another, only commits that were never pushed count.
func TestUnsavedOfALostTask(t *testing.T) {
	t.Parallel()
	for _, pushed := range []bool{true, false} {
		bare := gittest.NewBare(t, map[string]string{"a.txt": "a\n"})
		b := newBench(t, bare)
		ws, tree := b.prepare("t-1", 1)
		b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
		must(t, tree.Checkpoint(t.Context()))
		lost, want := b.m, ""
		if !pushed {
			b.commit(tree, "2", map[string]string{"c.txt": "c\n"})
			want = "commits that were not pushed"
		}
		must(t, os.WriteFile(filepath.Join(ws.Dir, "half.txt"), []byte("half\n"), 0o600))
		b.m = b.manager(t.TempDir())
		_, second := b.prepare("t-1", 2)
		b.commit(second, "3", map[string]string{"c.txt": "c\n"})
		must(t, second.Checkpoint(t.Context()))
		unsaved(t, "lost", lost, want, false)
		must(t, b.m.Remove(t.Context(), "t-1", false))
		unsaved(t, "lost, and ended elsewhere", lost, want, false)
	}
}

// A worker that was killed after it had pushed a snapshot, and before it had recorded that, leaves its own fence: the work is in no other hands.
func TestUnrecordedSnapshotIsUnsaved(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"open.txt": "open\n"})
	before, err := os.ReadFile(tree.at.place.state())
	must(t, err)
	_, err = tree.PushSnapshot(t.Context(), SnapshotSpec{Note: "1", Inspect: func(func(io.Writer) error) error { return nil }})
	must(t, err)
	must(t, os.WriteFile(tree.at.place.state(), before, 0o600))
	unsaved(t, "a snapshot that is not recorded", b.manager(b.m.config.Dir), "changes that were not committed", false)
	broken := b.manager(b.m.config.Dir)
	program := filepath.Join(t.TempDir(), "git")
	gittest.Program(t, program, "#!/bin/sh\n[ \"$1\" != cat-file ] || kill -9 $$\nexec "+broken.runner.git.Program+" \"$@\"\n")
	broken.runner.git.Program = program
	if why, _, err := broken.Unsaved(t.Context(), "t-1"); !git.Killed(err) {
		t.Errorf("with a git that is killed it is %q, %v", why, err)
	}
	other := b.manager(t.TempDir()) // another host takes the task
	_, err = other.Prepare(t.Context(), b.spec("t-1", 2))
	must(t, err)
	unsaved(t, "a task that another host has taken", b.manager(b.m.config.Dir), "", false)
	must(t, os.RemoveAll(tree.at.place.work()))
	must(t, os.RemoveAll(tree.at.place.git()))
	unsaved(t, "one whose removal was cut off", b.manager(b.m.config.Dir), "", false)
}
