package workspace

import (
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/disk/disktest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// TestFullDiskOfTheHost: no room for a commit, a checkpoint and a push is said as such, leaves nothing half done, and all of them are done
// when there is room.
func TestFullDiskOfTheHost(t *testing.T) {
	dir := disktest.Small(t, 32<<20)
	if dir == "" {
		return
	}
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	b.m = b.manager(filepath.Join(dir, "data"))
	_, tree := b.prepare("t-1", 1)
	push := func() error { _, err := tree.Push(t.Context()); return err }
	commit := func() error {
		_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Work 1"})
		return err
	}
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "a\n"})
	for _, step := range []struct {
		name string
		do   func() error
	}{{"commit", commit}, {"checkpoint", func() error { return tree.Checkpoint(t.Context()) }}, {"push", push}} {
		before := gittest.Refs(t, bare)
		empty := disktest.Fill(t, dir, 0)
		wantFault(t, step.do(), fault.Infra, "the file system at "+dir+" is full")
		empty()
		if after := gittest.Refs(t, bare); len(after) != len(before) {
			t.Errorf("%s: refs %v, before %v", step.name, after, before)
		}
		must(t, step.do())
	}
	intact(t, b, tree, bare)
}

// TestFullDiskOfTheRemote: the disk of the repository is full.
func TestFullDiskOfTheRemote(t *testing.T) {
	dir := disktest.Small(t, 8<<20)
	if dir == "" {
		return
	}
	bare := filepath.Join(dir, "repo.git")
	gittest.Git(t, dir, "clone", "--quiet", "--bare", "--template=", gittest.NewBare(t, start), bare)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	push := func() error { _, err := tree.Push(t.Context()); return err }
	for _, do := range []func() error{func() error { return tree.Checkpoint(t.Context()) }, push} {
		empty := disktest.Fill(t, dir, 0)
		wantFault(t, do(), fault.Infra, "is full")
		empty()
		must(t, do())
	}
	intact(t, b, tree, bare)
}

// intact fails unless branch and checkpoint are at the one commit of the workspace, nothing is broken, and another host can restore it.
func intact(t *testing.T, b *bench, tree *Tree, bare string) {
	t.Helper()
	head := gittest.Ref(t, tree.at.place.git(), "refs/heads/longshift/t-1")
	if refs := gittest.Refs(t, bare); refs[checkpointRef("t-1")] != head || refs["refs/heads/longshift/t-1"] != head {
		t.Errorf("refs %v, the workspace is at %s", refs, head)
	}
	gittest.Git(t, bare, "fsck", "--strict", "--no-dangling")
	if ws, _ := b.prepareOn(b.manager(t.TempDir()), b.spec("t-1", 2)); ws.Head != head {
		t.Errorf("restored %+v, want %s", ws, head)
	}
	if left, _ := filepath.Glob(filepath.Join(bare, "refs", "*", "*.lock")); len(left) > 0 {
		t.Errorf("locks are left: %q", left)
	}
}
