package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// Junk files of tools are named and not committed, unless the project has them in its index.
func TestJunkStaysOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"README.md": "r\n", "action/node_modules/dep/index.js": "1\n"}))
	_, tree := b.prepare("t-1", 1)
	c := b.commit(tree, "1", map[string]string{"src/a.py": "a\n", "src/__pycache__/a.pyc": "x", "src/__pycache__/b.pyc": "x", ".DS_Store": "x",
		"src/.DS_Store": "x", "src/a.py.orig": "x", "src/a.py.rej": "x", "npm-debug.log": "x",
		"notes.txt~": "x", "node_modules/new/index.js": "2\n", "docs/node_modules.md": "about\n"})
	if got := gittest.Git(t, tree.at.place.git(), "show", "--name-only", "--format=", c.ID); got != "docs/node_modules.md\nnode_modules/new/index.js\nsrc/a.py" {
		t.Errorf("committed %q", got)
	}
	slices.Sort(c.LeftOut)
	if want := []string{".DS_Store", "notes.txt~", "npm-debug.log", "src/.DS_Store", "src/__pycache__", "src/a.py.orig", "src/a.py.rej"}; !slices.Equal(c.LeftOut, want) {
		t.Errorf("left out %q, want %q", c.LeftOut, want)
	}
	if dirty, _, err := tree.Status(t.Context()); err != nil || dirty {
		t.Errorf("what is left out counts as a change: %v, %v", dirty, err)
	}
	gittest.Write(t, tree.Dir(), map[string]string{"src/__pycache__/c.pyc": "x"})
	if again, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"}); err != nil || again.Created {
		t.Errorf("a commit of nothing but that: %+v, %v", again, err)
	}
}

// What setup has installed stays when a state is restored or a merge is given up, although no commit has it: setup does not run again. It
// goes where the project commits such names, and from a clean checkout.
func TestJunkOutlivesRestoring(t *testing.T) {
	t.Parallel()
	remote := gittest.NewBare(t, map[string]string{"a.txt": "1\n", "docs/.venv/x": "1\n"})
	b := newBench(t, remote)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "ours\n"})
	before, err := tree.Fingerprint(t.Context())
	must(t, err)
	gittest.Commit(t, remote, "main", "Theirs", map[string]string{"a.txt": "theirs\n"})
	if m, err := tree.MergeBase(t.Context(), "m"); err != nil || len(m.Conflicts) != 1 {
		t.Fatalf("merged: %+v, %v", m, err)
	}
	for _, step := range []struct {
		name string
		do   func() error
		left string
	}{
		{"giving up a merge", func() error { return tree.AbortMerge(t.Context()) }, "installed"},
		{"restoring a state", func() error { return tree.Restore(t.Context(), before) }, "installed"},
		{"checking out", func() error { return tree.CheckOut(t.Context()) }, ""},
	} {
		gittest.Write(t, tree.Dir(), map[string]string{"web/node_modules/dep/x.js": "installed", "web/new.js": "new", ".venv/new": "new"})
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		var left []string
		for _, name := range []string{"web/node_modules/dep/x.js", "web/new.js", ".venv/new"} {
			if text, err := os.ReadFile(filepath.Join(tree.Dir(), name)); err == nil {
				left = append(left, string(text))
			}
		}
		if got := strings.Join(left, ", "); got != step.left {
			t.Errorf("%s leaves %q, want %q", step.name, got, step.left)
		}
	}
}

// Large files are named, and files over the limit are refused by name; without them the rest is committed.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	big := filepath.Join(tree.Dir(), "big.bin")
	must(t, os.WriteFile(filepath.Join(tree.Dir(), "model.bin"), make([]byte, 6<<20), 0o600))
	must(t, os.WriteFile(big, nil, 0o600))
	must(t, os.Truncate(big, 60<<20))
	_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	if err == nil {
		t.Fatal("60 MB were committed")
	}
	wantFault(t, err, fault.Work, "big.bin (60 MB)", "at most 50 MB")
	if _, err := gittest.Try(tree.at.place.git(), "cat-file", "-e", agent(t, tree, "hash-object", "big.bin")); err == nil {
		t.Error("our repository has read what it refuses")
	}
	must(t, os.Remove(big))
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	must(t, err)
	if !c.Created || strings.Join(c.Large, ", ") != "model.bin (6 MB)" {
		t.Errorf("got %+v", c)
	}
}

// Of a file that Git LFS takes, the commit has the pointer alone.
func TestLargeFileInLFS(t *testing.T) {
	t.Parallel()
	b := newBench(t, bareLFS(t))
	_, tree := b.prepare("t-1", 1)
	must(t, os.WriteFile(filepath.Join(tree.Dir(), "big.psd"), nil, 0o600))
	must(t, os.Truncate(filepath.Join(tree.Dir(), "big.psd"), mostOfAFile+1))
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	if err != nil || c.Files != 1 || len(c.Large) > 0 {
		t.Errorf("got %+v, %v", c, err)
	}
}

// A commit can't hold a git repository. It names those that it leaves out, and those of setup as such.
func TestRepositoriesInTheWork(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	clone := func(name string) {
		byAgent(t, tree, "git init -q "+name+"; cd "+name+"; echo 1 >f; git add f; git commit -qm one")
	}
	must(t, tree.BeforeCommand(t.Context(), "setup", false))
	clone("dep")
	must(t, tree.AfterCommand(t.Context(), "setup", false))
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	if err != nil || c.Created || strings.Join(c.LeftOut, ", ") != "dep (made by setup or the check)" {
		t.Errorf("beside what setup has made: %+v, %v", c, err)
	}
	clone("app")
	c, err = tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	if err != nil || c.Created || strings.Join(c.Apart, ", ") != "app (a git repository of its own)" {
		t.Errorf("alone: %+v, %v", c, err)
	}
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "a\n"})
	c, err = tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	if err != nil || c.Files != 1 || strings.Join(c.LeftOut, ", ") != "app (a git repository of its own), dep (made by setup or the check)" {
		t.Errorf("beside a file: %+v, %v", c, err)
	}
}
