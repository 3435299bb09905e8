package workspace

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// Of a task over a fork, upstream gives the base and gets nothing; branch, checkpoint and fence are in the fork, which is behind.
func TestFork(t *testing.T) {
	t.Parallel()
	upstream, fork := gittest.NewBare(t, start), filepath.Join(t.TempDir(), "fork.git")
	gittest.Git(t, "/", "clone", "-q", "--bare", upstream, fork)
	base := gittest.Commit(t, upstream, "main", "Later", map[string]string{"later.txt": "l\n"})
	before := gittest.Refs(t, upstream)
	b := newBench(t, upstream)
	b.fork = fork
	spec := b.spec("t-1", 1)
	spec.Fork = &task.Repository{Text: "ann/repo", Owner: "ann", Name: "repo"}
	ws, tree := b.prepareOn(b.m, spec)
	if ws.BaseCommit != base || ws.BaseBranch != "main" {
		t.Errorf("got %+v", ws)
	}
	c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	must(t, tree.Checkpoint(t.Context()))

	// Another host restores it, and pushes.
	other := b.manager(t.TempDir())
	spec.Fence, spec.Base = 2, "main"
	ws, tree2 := b.prepareOn(other, spec)
	if !ws.Restored || ws.Head != c.ID || ws.BaseCommit != base {
		t.Errorf("restored %+v", ws)
	}
	if _, err := tree.Push(t.Context()); fault.KindOf(err) != fault.Fenced {
		t.Errorf("the old host pushes: %v", err)
	}
	if _, err := tree2.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := gittest.Ref(t, fork, "refs/heads/longshift/t-1"); got != c.ID {
		t.Errorf("the fork has %q", got)
	}
	must(t, other.Remove(t.Context(), "t-1", false))
	if left := gittest.Git(t, fork, "for-each-ref", "refs/longshift", "refs/longshift-fence"); left != "" {
		t.Errorf("left behind: %s", left)
	}

	// A round goes on with the branch of the fork, and merges the base of upstream.
	spec.Fence, spec.Continue = 3, true
	tip := gittest.Commit(t, fork, "longshift/t-1", "A suggestion", map[string]string{"theirs.txt": "t\n"})
	if ws, tree = b.prepareOn(other, spec); ws.Head != tip {
		t.Errorf("the round begins at %+v", ws)
	}
	if after := gittest.Refs(t, upstream); !maps.Equal(after, before) {
		t.Errorf("upstream has %v, had %v", after, before)
	}
	newest := gittest.Commit(t, upstream, "main", "Newest", map[string]string{"newest.txt": "n\n"})
	if m := b.merge(tree, "m"); m.Base != newest || m.Commit == "" {
		t.Errorf("got %+v", m)
	}
	if head, err := tree.Push(t.Context()); err != nil || gittest.Ref(t, fork, "refs/heads/longshift/t-1") != head {
		t.Errorf("%s: %v", head, err)
	}
}
