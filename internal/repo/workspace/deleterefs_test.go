package workspace

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// pushed is a task whose branch, checkpoint and fence are on the remote, and a host that has neither its workspace nor a mirror.
func pushed(t *testing.T, bare string) (elsewhere *bench, leavings Leavings) {
	t.Helper()
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	if _, err := tree.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	return newBench(t, bare), Leavings{TaskID: "t-1", Repository: b.repository(), Branch: "longshift/t-1", Heads: []string{c.ID}}
}

func TestDeleteRefs(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	before := gittest.Refs(t, bare)
	b, l := pushed(t, bare)
	out, err := b.m.DeleteRefs(t.Context(), l)
	if err != nil || len(out.Refs) != 3 || out.Moved != "" {
		t.Errorf("got %+v, %v", out, err)
	}
	if after := gittest.Refs(t, bare); !maps.Equal(after, before) {
		t.Errorf("refs %v, before the task %v", after, before)
	}
	if out, err := b.m.DeleteRefs(t.Context(), l); err != nil || len(out.Refs) != 0 || out.Moved != "" {
		t.Errorf("again: %+v, %v", out, err)
	}
	for _, pattern := range []string{filepath.Join(b.m.mirrors.dir, "*"), filepath.Join(b.m.mirrors.dir, ".*"), note(bare)} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

func TestDeleteRefsLeavesAMovedBranch(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b, l := pushed(t, bare)
	theirs := gittest.Commit(t, bare, l.Branch, "A suggestion", map[string]string{"theirs.txt": "t\n"})
	out, err := b.m.DeleteRefs(t.Context(), l)
	if err != nil || len(out.Refs) != 2 || out.Moved != theirs {
		t.Errorf("got %+v, %v", out, err)
	}
	refs := gittest.Refs(t, bare)
	if refs["refs/heads/longshift/t-1"] != theirs || refs["refs/longshift/t-1"] != "" || refs["refs/longshift-fence/t-1"] != "" {
		t.Errorf("refs %v", refs)
	}
	if out, err := b.m.DeleteRefs(t.Context(), l); err != nil || len(out.Refs) != 0 || out.Moved != theirs {
		t.Errorf("again: %+v, %v", out, err)
	}
}

// TestDeleteRefsOfOneTask: a task whose id begins with the other's keeps its refs.
func TestDeleteRefsOfOneTask(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b, l := pushed(t, bare)
	_, tree := b.prepare("t-1-2", 1)
	b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
	if _, err := tree.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := b.m.DeleteRefs(t.Context(), l)
	must(t, err)
	refs := gittest.Refs(t, bare)
	for _, name := range []string{"refs/heads/longshift/t-1-2", "refs/longshift/t-1-2", "refs/longshift-fence/t-1-2"} {
		if refs[name] == "" {
			t.Errorf("%s was deleted", name)
		}
	}
}

func TestDeleteRefsRefused(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b, l := pushed(t, bare)
	before := gittest.Refs(t, bare)
	gittest.Git(t, bare, "symbolic-ref", "HEAD", "refs/heads/"+l.Branch)
	_, err := b.m.DeleteRefs(t.Context(), l)
	wantFault(t, err, fault.Denied, "checked out")
	gittest.Git(t, bare, "symbolic-ref", "HEAD", "refs/heads/main")
	gittest.Git(t, bare, "config", "receive.denyDeletes", "true")
	_, err = b.m.DeleteRefs(t.Context(), l)
	wantFault(t, err, fault.Denied, "rule")
	if after := gittest.Refs(t, bare); !maps.Equal(after, before) {
		t.Errorf("a refused call changed refs: %v, before %v", after, before)
	}
	b.remote = filepath.Join(t.TempDir(), "gone.git")
	_, err = b.m.DeleteRefs(t.Context(), l)
	wantFault(t, err, fault.NotFound, "is not there")
	l.Repository, l.TaskID = task.Repository{}, "../x"
	_, err = b.m.DeleteRefs(t.Context(), l)
	wantFault(t, err, fault.Input)
}
