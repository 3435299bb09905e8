package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// Changes of closed files get into no commit, neither into ours nor with an agent's, are named, and are gone from the work tree.
func TestClosedFilesAreUndone(t *testing.T) {
	t.Parallel()
	closed := func(path string) bool { return strings.HasPrefix(path, "lock/") }
	for name, c := range map[string]struct {
		do            func(*testing.T, *Tree)
		commits, left string
	}{
		"changed, new and removed": {func(t *testing.T, tree *Tree) {
			gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "work\n", "lock/a": "2\n", "lock/new": "x\n"})
			must(t, os.Remove(filepath.Join(tree.Dir(), "lock/b")))
		}, "ours|First commit", "lock/a lock/b lock/new"},
		"a link in place of the folder": {func(t *testing.T, tree *Tree) {
			gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "work\n"})
			must(t, os.RemoveAll(filepath.Join(tree.Dir(), "lock")))
			must(t, os.Symlink(t.TempDir(), filepath.Join(tree.Dir(), "lock")))
		}, "ours|First commit", "lock lock/a lock/b"},
		"an agent's commit": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "mine", map[string]string{"a.txt": "work\n", "lock/a": "2\n"})
		}, "ours|First commit", "lock/a"},
		"an agent's commit of nothing else": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "mine", map[string]string{"lock/a": "2\n"})
		}, "First commit", "lock/a"},
		"an agent's commit of something else": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "mine", map[string]string{"a.txt": "work\n"})
		}, "mine|First commit", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, gittest.NewBare(t, map[string]string{"a.txt": "1\n", "lock/a": "1\n", "lock/b": "1\n"}))
			_, tree := b.prepare("t-1", 1)
			base := agent(t, tree, "rev-parse", "HEAD")
			c.do(t, tree)
			got, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours", Closed: closed})
			must(t, err)
			var left []string
			for _, path := range got.LeftOut {
				left = append(left, strings.TrimSuffix(path, " (closed by the settings; the change was undone)"))
			}
			slices.Sort(left)
			if subjects(t, tree) != c.commits || strings.Join(left, " ") != c.left {
				t.Errorf("commits %s without %q, want %s without %s", subjects(t, tree), left, c.commits, c.left)
			}
			if diff := gittest.Git(t, tree.at.place.git(), "diff", "--name-only", base, got.ID, "--", "lock"); diff != "" {
				t.Errorf("committed %s", diff)
			}
			if status := agent(t, tree, "status", "--porcelain"); status != "" || readFile(t, tree.Dir(), "lock/a") != "1\n" {
				t.Errorf("the work tree has %s", status)
			}
		})
	}
}

// A closed file that the task's own commits have changed can be changed back, and what came in with the base branch is no such change.
func TestClosedFilesOfEarlierCommits(t *testing.T) {
	t.Parallel()
	remote := gittest.NewBare(t, map[string]string{"a.txt": "1\n", "lock": "1\n", "theirs": "1\n"})
	b := newBench(t, remote)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "2\n", "lock": "2\n"}) // before they were closed
	gittest.Commit(t, remote, "main", "theirs", map[string]string{"theirs": "2\n"})
	_, err := tree.MergeBase(t.Context(), "m")
	must(t, err)
	gittest.Write(t, tree.Dir(), map[string]string{"lock": "1\n", "theirs": "3\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x", Closed: func(path string) bool { return path != "a.txt" }})
	must(t, err)
	if got := gittest.Git(t, tree.at.place.git(), "show", "--name-only", "--format=", c.ID); got != "lock" || len(c.LeftOut) != 1 {
		t.Errorf("committed %s without %q", got, c.LeftOut)
	}
	if got := readFile(t, tree.Dir(), "theirs"); got != "2\n" {
		t.Errorf("a file of the base branch is %q", got)
	}
}
