package workspace

import (
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// A workspace is at the start of its task until something is committed. In a round on the task's branch it never is.
func TestStart(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	is := func(when string, tree *Tree, want bool) {
		t.Helper()
		if branch, there, err := tree.Start(t.Context()); err != nil || branch != "main" || there != want {
			t.Errorf("%s: %q, %v, %v", when, branch, there, err)
		}
	}
	_, tree := b.prepare("t-1", 1)
	is("at first", tree, true)
	gittest.Write(t, tree.Dir(), map[string]string{"built.o": "x"})
	is("after a build", tree, true)
	gittest.Commit(t, bare, "main", "Later", map[string]string{"later.txt": "x\n"})
	is("when the branch has moved on", tree, true)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	is("after a commit", tree, false)
	b.ended("t-2", map[string]string{"a.txt": "a\n"})
	_, tree = b.prepareOn(b.m, b.round("t-2", 2))
	is("in a round", tree, false)
}
