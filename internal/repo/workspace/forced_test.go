package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// What an agent adds with git add -f is committed although .gitignore lists it, under the rules for other new files. Ignored files that it
// does not add stay out.
func TestIgnoredFilesThatAnAgentAdds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*testing.T, *Tree)
		want string // the changed files
		left string
	}{
		"added": {func(t *testing.T, tree *Tree) { agent(t, tree, "add", "-f", "build/real.go") }, "a.txt build/real.go", ""},
		"committed by somebody else": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "add", "-f", "build/real.go")
			asAgent(t, tree, "other@example.com", "mine", nil)
		}, "a.txt build/real.go", ""},
		"not added": {func(t *testing.T, tree *Tree) { agent(t, tree, "add", "-A") }, "a.txt", ""},
		"gone again": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "add", "-f", "build")
			must(t, os.RemoveAll(filepath.Join(tree.Dir(), "build")))
		}, "a.txt", ""},
		"behind a link": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "add", "-f", "build")
			must(t, os.Rename(filepath.Join(tree.Dir(), "build"), filepath.Join(tree.Dir(), ".git/build")))
			must(t, os.Symlink(".git/build", filepath.Join(tree.Dir(), "build")))
		}, "a.txt", ""},
		"what no project commits": {func(t *testing.T, tree *Tree) {
			gittest.Write(t, tree.Dir(), map[string]string{"build/node_modules/x.js": "x\n"})
			agent(t, tree, "add", "-f", "build/node_modules", "build/real.go")
		}, "a.txt build/real.go", "build/node_modules"},
		"closed": {func(t *testing.T, tree *Tree) {
			gittest.Write(t, tree.Dir(), map[string]string{"build/lock": "x\n"})
			agent(t, tree, "add", "-f", "build/lock")
		}, "a.txt", "build/lock (closed by the settings; the change was undone)"},
		"another repository": {func(t *testing.T, tree *Tree) {
			gittest.Git(t, tree.Dir(), "init", "-q", "build/other")
			gittest.Git(t, filepath.Join(tree.Dir(), "build/other"), "commit", "-q", "--allow-empty", "-m", "x")
			agent(t, tree, "add", "-f", "build/other")
		}, "a.txt", ""},
		"taken back": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "add", "-f", "build/real.go")
			_, err := tree.Commit(t.Context(), CommitSpec{Key: "0", Message: "with a secret"})
			must(t, err)
			must(t, tree.Uncommit(t.Context()))
		}, "a.txt build/real.go", ""},
		"taken back and taken out": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "add", "-f", "build/real.go", "build/out.o")
			_, err := tree.Commit(t.Context(), CommitSpec{Key: "0", Message: "with a secret"})
			must(t, err)
			must(t, tree.Uncommit(t.Context()))
			agent(t, tree, "rm", "-q", "--cached", "build/out.o")
		}, "a.txt build/real.go", ""},
		"restored": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "add", "-f", "build/real.go")
			before, err := tree.Fingerprint(t.Context())
			must(t, err)
			gittest.Write(t, tree.Dir(), map[string]string{"new.txt": "x\n", "build/real.go": "x\n"})
			must(t, tree.Restore(t.Context(), before))
			if got := readFile(t, tree.Dir(), "build/real.go"); got != "package build\n" {
				t.Errorf("restored, build/real.go holds %q", got)
			}
		}, "a.txt build/real.go", ""},
		"a broken index": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "add", "-f", "build/real.go")
			gittest.Write(t, tree.Dir(), map[string]string{".git/index": "none\n"})
		}, "a.txt", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, gittest.NewBare(t, map[string]string{"a.txt": "1\n", ".gitignore": "build\n"}))
			_, tree := b.prepare("t-1", 1)
			gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "2\n", "build/real.go": "package build\n", "build/out.o": "x\n"})
			c.do(t, tree)
			got, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours", Closed: func(path string) bool { return path == "build/lock" }})
			must(t, err)
			files := strings.Join(strings.Fields(gittest.Git(t, tree.at.place.git(), "show", "--name-only", "--format=", got.ID)), " ")
			if left := strings.Join(got.LeftOut, " "); files != c.want || left != c.left {
				t.Errorf("committed %q without %q, want %q without %q", files, left, c.want, c.left)
			}
		})
	}
}

// An ignored file that an agent has added stays added when the merge that it went into is taken back.
func TestIgnoredFilesOfAMergeTakenBack(t *testing.T) {
	t.Parallel()
	remote := gittest.NewBare(t, map[string]string{"a.txt": "1\n", ".gitignore": "build\n"})
	b := newBench(t, remote)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "ours\n"})
	must(t, tree.Checkpoint(t.Context()))
	gittest.Commit(t, remote, "main", "theirs", map[string]string{"a.txt": "theirs\n", "more.txt": "x\n"})
	if m, err := tree.MergeBase(t.Context(), "m"); err != nil || len(m.Conflicts) == 0 {
		t.Fatalf("merge %+v, %v", m, err)
	}
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "both\n", "build/real.go": "package build\n", "build/out.o": "x\n"})
	agent(t, tree, "add", "-f", "build/real.go")
	for _, key := range []string{"2", "3"} {
		c := b.commit(tree, key, nil)
		if got := gittest.Git(t, tree.at.place.git(), "ls-tree", "-r", "--name-only", c.ID, "--", "build"); got != "build/real.go" {
			t.Errorf("commit %s has %q", key, got)
		}
		must(t, tree.Uncommit(t.Context()))
	}
}
