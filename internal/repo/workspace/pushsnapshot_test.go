package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

func pushSnapshot(t *testing.T, tree *Tree, note string) {
	t.Helper()
	pushed, err := tree.PushSnapshot(t.Context(), SnapshotSpec{Note: note, Inspect: func(write func(io.Writer) error) error { return write(io.Discard) }})
	if err != nil || !pushed {
		t.Fatalf("pushed %v, %v", pushed, err)
	}
}

// TestSnapshotIsRestoredOnAnotherHost makes changes of every kind and loses the host.
func TestSnapshotIsRestoredOnAnotherHost(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"README.md": "one\n", "old.txt": "old\n", "sub/moved.txt": "moved\n", ".gitignore": "*.log\n"})
	b := newBench(t, bare)
	_, old := b.prepare("t-1", 1)
	b.commit(old, "1", map[string]string{"a.txt": "a\n"})
	must(t, old.Checkpoint(t.Context()))
	gittest.Write(t, old.Dir(), map[string]string{"README.md": "two\n", "new/deep.bin": "\x00\x01", "run.sh": "#!/bin/sh\n", "debug.log": "x", "forced.log": "x\n"})
	must(t, os.Remove(filepath.Join(old.Dir(), "old.txt")))
	must(t, os.Rename(filepath.Join(old.Dir(), "sub/moved.txt"), filepath.Join(old.Dir(), "there.txt")))
	must(t, os.Chmod(filepath.Join(old.Dir(), "run.sh"), 0o755))
	must(t, os.Symlink("README.md", filepath.Join(old.Dir(), "link")))
	agent(t, old, "add", "-A")
	agent(t, old, "commit", "-q", "-m", "of the agent")
	gittest.Write(t, old.Dir(), map[string]string{"last.txt": "last\n"})
	agent(t, old, "add", "-f", "forced.log")
	pushSnapshot(t, old, "call 7")
	gittest.Write(t, old.Dir(), map[string]string{"too-late.txt": "x"})

	ws, tree := b.prepareOn(b.manager(t.TempDir()), b.spec("t-1", 2))
	if !ws.Restored || !ws.Snapshot {
		t.Errorf("got %+v", ws)
	}
	if s, err := tree.Snapshot(t.Context()); err != nil || s.Note != "call 7" {
		t.Errorf("snapshot %+v, %v", s, err)
	}
	for file, want := range map[string]string{"README.md": "two\n", "new/deep.bin": "\x00\x01", "there.txt": "moved\n", "last.txt": "last\n", "a.txt": "a\n"} {
		if got := readFile(t, tree.Dir(), file); got != want {
			t.Errorf("%s is %q", file, got)
		}
	}
	for _, file := range []string{"old.txt", "sub/moved.txt", "debug.log", "too-late.txt"} {
		if exists(filepath.Join(tree.Dir(), file)) {
			t.Errorf("%s is there", file)
		}
	}
	if info, err := os.Stat(filepath.Join(tree.Dir(), "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("run.sh: %v, %v", info, err)
	}
	if to, err := os.Readlink(filepath.Join(tree.Dir(), "link")); err != nil || to != "README.md" {
		t.Errorf("link: %q, %v", to, err)
	}
	if got := agent(t, tree, "status", "--short"); !strings.Contains(got, "?? last.txt") || !strings.Contains(got, "A  forced.log") || !strings.Contains(got, " D old.txt") {
		t.Errorf("the agent sees\n%s", got)
	}
	c := b.commit(tree, "2", nil)
	if s, err := tree.Snapshot(t.Context()); err != nil || s != (Snapshot{}) {
		t.Errorf("after a commit: %+v, %v", s, err)
	}
	must(t, tree.Checkpoint(t.Context()))
	if refs := gittest.Refs(t, bare); len(refs) != 3 {
		t.Errorf("refs beside branch, checkpoint and fence: %v", refs)
	}
	again, _ := b.prepareOn(b.manager(t.TempDir()), b.spec("t-1", 3))
	if again.Snapshot || again.Head != c.ID {
		t.Errorf("a snapshot that was committed is used again: %+v", again)
	}
}

// TestSnapshotOfTheHostThatWentOn has the task come back to a host that was away meanwhile.
func TestSnapshotOfTheHostThatWentOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, first := b.prepare("t-1", 1)
	gittest.Write(t, first.Dir(), map[string]string{"a.txt": "first\n"})
	pushSnapshot(t, first, "1")
	gittest.Write(t, first.Dir(), map[string]string{"mine.txt": "not pushed\n"})
	_, second := b.prepareOn(b.manager(t.TempDir()), b.spec("t-1", 2))
	gittest.Write(t, second.Dir(), map[string]string{"a.txt": "second\n"})
	pushSnapshot(t, second, "2")

	_, back := b.prepare("t-1", 3)
	if got := readFile(t, back.Dir(), "a.txt"); got != "second\n" || exists(filepath.Join(back.Dir(), "mine.txt")) {
		t.Errorf("the host that is back has %q", got)
	}
	if s, err := back.Snapshot(t.Context()); err != nil || s.Note != "2" {
		t.Errorf("snapshot %+v, %v", s, err)
	}
	if left := gittest.Git(t, b.m.place("t-1").git(), "for-each-ref", "refs/longshift/left"); left == "" {
		t.Error("what the host had is not kept")
	}
	_, err := second.PushSnapshot(t.Context(), SnapshotSpec{Note: "late", Inspect: func(func(io.Writer) error) error { return nil }})
	wantFault(t, err, fault.Fenced, "attempt 3")
}

// TestOwnSnapshotLeavesTheWorkTreeAlone takes the task again on the host that has pushed: what it has is newer.
func TestOwnSnapshotLeavesTheWorkTreeAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "pushed\n"})
	pushSnapshot(t, tree, "1")
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "newer\n"})
	_, tree = b.prepareOn(b.manager(b.m.config.Dir), b.spec("t-1", 2))
	if got := readFile(t, tree.Dir(), "a.txt"); got != "newer\n" {
		t.Errorf("a.txt is %q", got)
	}
}

func TestSnapshotThatIsNotPushed(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"key.txt": "a secret\n"})
	before := gittest.Refs(t, bare)
	refused := errors.New("it holds a secret")
	var seen string
	_, err := tree.PushSnapshot(t.Context(), SnapshotSpec{Note: "1", Inspect: func(write func(io.Writer) error) error {
		var all strings.Builder
		err := write(&all)
		seen = all.String()
		return errors.Join(err, refused)
	}})
	if !errors.Is(err, refused) || !strings.Contains(seen, "+a secret") {
		t.Errorf("got %v after %q", err, seen)
	}
	// While the last commit is on this host alone, what was not looked at would be pushed with it.
	b.commit(tree, "1", nil)
	pushed, err := tree.PushSnapshot(t.Context(), SnapshotSpec{Note: "2", Inspect: func(func(io.Writer) error) error { return nil }})
	if err != nil || pushed {
		t.Errorf("pushed %v, %v", pushed, err)
	}
	for ref, at := range gittest.Refs(t, bare) {
		if before[ref] != at {
			t.Errorf("%s was pushed", ref)
		}
	}
	// A session that may not change the work tree leaves nothing of it behind.
	must(t, tree.Checkpoint(t.Context()))
	gittest.Write(t, tree.Dir(), map[string]string{"stray.txt": "x\n"})
	pushed, err = tree.PushSnapshot(t.Context(), SnapshotSpec{Note: "3", Clean: true, Inspect: func(func(io.Writer) error) error { return nil }})
	if err != nil || !pushed {
		t.Errorf("pushed %v, %v", pushed, err)
	}
	ws, other := b.prepareOn(b.manager(t.TempDir()), b.spec("t-1", 2))
	if !ws.Snapshot || exists(filepath.Join(other.Dir(), "stray.txt")) {
		t.Errorf("got %+v", ws)
	}
}
