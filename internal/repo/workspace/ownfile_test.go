package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// CommitFile commits its file and nothing else, once, and also where the repository ignores it.
func TestCommitFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"a.txt": "1\n", ".gitignore": ".own/\n"}))
	_, tree := b.prepare("t-1", 1)
	base := agent(t, tree, "rev-parse", "HEAD")
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "not committed\n", ".own/file.json": "by an agent\n", "new.txt": "x\n"})

	first, err := tree.CommitFile(t.Context(), ".own/file.json", []byte("1\n"), "chore: one")
	must(t, err)
	if diff := gittest.Git(t, tree.at.place.git(), "diff", "--name-status", base, first.ID); diff != "A\t.own/file.json" || !first.Created {
		t.Errorf("committed %q, %+v", diff, first)
	}
	if got := readFile(t, tree.Dir(), ".own/file.json"); got != "1\n" {
		t.Errorf("the work tree has %q", got)
	}
	if status := agent(t, tree, "status", "--porcelain"); status != "?? new.txt" {
		t.Errorf("the work tree has %q beside it", status)
	}
	again, err := tree.CommitFile(t.Context(), ".own/file.json", []byte("1\n"), "chore: one")
	must(t, err)
	if again.ID != first.ID || again.Created {
		t.Errorf("the same again: %+v", again)
	}
	second, err := tree.CommitFile(t.Context(), ".own/file.json", []byte("2\n"), "chore: two")
	must(t, err)
	if got := gittest.Show(t, tree.at.place.git(), second.ID, ".own/file.json"); got != "2" {
		t.Errorf("then it is %q", got)
	}
	if got := subjects(t, tree); got != "chore: two|chore: one|First commit" {
		t.Errorf("commits %s", got)
	}
	out, err := tree.Query(t.Context(), "rev-list", "--count", base+".."+second.ID)
	if must(t, err); out != "2" {
		t.Errorf("asked for the commits, git says %q", out)
	}
}

// A file of CommitFile stays as it is, whoever changes it and whatever has been committed of it before.
func TestOwnFileIsUndone(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"a.txt": "1\n"}))
	_, tree := b.prepare("t-1", 1)
	commit := func(key string) Commit {
		t.Helper()
		c, err := tree.Commit(t.Context(), CommitSpec{Key: key, Message: "ours", Own: "own.json"})
		must(t, err)
		return c
	}
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "2\n", "own.json": "forged\n"})
	if c := commit("1"); !c.Created || len(c.LeftOut) != 1 || !strings.HasPrefix(c.LeftOut[0], "own.json ") {
		t.Errorf("a new one: %+v", c)
	}
	_, err := tree.CommitFile(t.Context(), "own.json", []byte("true\n"), "chore: own")
	must(t, err)
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "3\n", "own.json": "forged\n"})
	commit("2")
	asAgent(t, tree, author.Email, "mine", map[string]string{"own.json": "forged\n"})
	commit("3")
	must(t, os.Remove(filepath.Join(tree.Dir(), "own.json")))
	c := commit("4")
	if got := gittest.Show(t, tree.at.place.git(), c.ID, "own.json"); got != "true" || readFile(t, tree.Dir(), "own.json") != "true\n" {
		t.Errorf("it is %q", got)
	}
	if got := subjects(t, tree); got != "ours|chore: own|ours|First commit" {
		t.Errorf("commits %s", got)
	}
}

// CheckOut leaves what is committed and nothing else, in submodules too.
func TestCheckOut(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, map[string]string{"a.txt": "1\n", ".gitignore": "build/\n*.env\n"})
	withSubmodule(t, h.Bare, "sub", "../sub.git", serve(t, h, "sub.git", map[string]string{"lib.txt": "lib\n"}))
	b := newBench(t, h.URL)
	_, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "changed\n", "new.txt": "x\n", "build/out": "x\n", "local.env": "x\n",
		"nested/.git/HEAD": "x\n", "sub/new.txt": "x\n", "sub/lib.txt": "changed\n"})
	must(t, tree.CheckOut(t.Context()))
	var left []string
	must(t, filepath.WalkDir(tree.Dir(), func(path string, d os.DirEntry, err error) error {
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() && d.Name() != ".git" {
			left = append(left, strings.TrimPrefix(path, tree.Dir()+"/"))
		}
		return err
	}))
	slices.Sort(left)
	if got := strings.Join(left, " "); got != ".gitignore .gitmodules a.txt sub/lib.txt" {
		t.Errorf("left are %s", got)
	}
	if got := readFile(t, tree.Dir(), "a.txt") + readFile(t, tree.Dir(), "sub/lib.txt"); got != "1\nlib\n" {
		t.Errorf("they hold %q", got)
	}
	if status := agent(t, tree, "status", "--porcelain"); status != "" {
		t.Errorf("the agent's git sees %s", status)
	}
	must(t, tree.CheckOut(t.Context()))
}
