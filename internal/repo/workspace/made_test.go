package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/internal/usertest"
)

// What setup and checks have made of files that the task has not touched gets into no commit and is named. What an agent has changed does,
// before such a command or after it.
func TestWhatCommandsMakeStaysOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"Makefile": "all:\n", "lock.json": "1\n", "gone.txt": "x\n", "a.go": "package a\n",
		"b.go": "package b\n", "run": "x\n"}))
	_, tree := b.prepare("t-1", 1)
	write := func(files map[string]string) { gittest.Write(t, tree.Dir(), files) }
	command := func(key string, files map[string]string) {
		judges := strings.HasPrefix(key, "check")
		must(t, tree.BeforeCommand(t.Context(), key, judges))
		write(files)
		must(t, tree.BeforeCommand(t.Context(), key, judges)) // it was cut off and runs again
		write(files)
		must(t, tree.AfterCommand(t.Context(), key, judges))
	}
	commit := func(key string, want, left []string) {
		t.Helper()
		c, err := tree.Commit(t.Context(), CommitSpec{Key: key, Message: "x"})
		must(t, err)
		var got []string
		if c.Created {
			got = strings.Fields(gittest.Git(t, tree.at.place.git(), "show", "--name-only", "--format=", c.ID))
		}
		slices.Sort(c.LeftOut)
		for i, path := range left {
			left[i] = path + " (made by setup or the check)"
		}
		if !slices.Equal(got, want) || !slices.Equal(c.LeftOut, left) {
			t.Errorf("commit %s has %q and leaves %q out, want %q and %q", key, got, c.LeftOut, want, left)
		}
	}
	command("setup-01", map[string]string{"Makefile": "all: configured\n", "lock.json": "2\n", "out/new.txt": "x\n"})
	must(t, os.Remove(filepath.Join(tree.Dir(), "gone.txt")))
	must(t, tree.BeforeCommand(t.Context(), "late", false))
	if dirty, _, err := tree.Status(t.Context()); err != nil || !dirty {
		t.Errorf("a file that was removed after the command is no change: %v", err)
	}
	commit("1", []string{"gone.txt"}, []string{"Makefile", "lock.json", "out/new.txt"})
	if dirty, _, err := tree.Status(t.Context()); err != nil || dirty {
		t.Errorf("what setup has made counts as a change: %v, %v", dirty, err)
	}

	write(map[string]string{"a.go": "package a // work\n", "lock.json": "3\n"}) // by an agent
	must(t, os.Chmod(filepath.Join(tree.Dir(), "Makefile"), 0o755))
	commit("2", []string{"Makefile", "a.go", "lock.json"}, []string{"out/new.txt"})

	command("setup-02", map[string]string{"a.go": "package a // work, formatted\n", "b.go": "package b // formatted\n"})
	command("setup-03", map[string]string{"b.go": "package b // formatted again\n"})
	commit("3", []string{"a.go"}, []string{"b.go", "out/new.txt"})

	write(map[string]string{"b.go": "package b // mine\n"})
	command("check-03", map[string]string{"b.go": "package b // mine, formatted\n", "a.go": "package a // formatted by the check\n", "report.xml": "x\n"})
	commit("4", []string{"b.go"}, []string{"out/new.txt", "report.xml"})
}

// A check judges what is committed, each time: what it changes is taken back. What was changed before it stays.
func TestChecksLeaveTheWorkAsItIs(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{".gitignore": "cache\n", "a.go": "package a\n", "dir/gone.txt": "x\n", "mine.go": "package a\n"}))
	_, tree := b.prepare("t-1", 1)
	dir := tree.Dir()
	gittest.Write(t, dir, map[string]string{"mine.go": "package a // mine\n", "mine.txt": "x\n", "cache": "of setup\n"})
	fix := func(ignored string) {
		gittest.Write(t, dir, map[string]string{"a.go": "package a // formatted\n", "out/report.xml": "x\n", ".gitignore": ignored,
			"mine.go": "package a // mine, formatted\n"})
		must(t, os.RemoveAll(filepath.Join(dir, "dir")))
		must(t, os.Symlink("out", filepath.Join(dir, "dir")))
	}
	see := func(when string) {
		t.Helper()
		for name, want := range map[string]string{"a.go": "package a\n", "dir/gone.txt": "x\n", "out/report.xml": "x\n", "cache": "of setup\n",
			".gitignore": "cache\n", "mine.go": "package a // mine, formatted\n", "mine.txt": "x\n"} {
			if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
				t.Errorf("%s: %s holds %q, want %q", when, name, got, want)
			}
		}
	}
	must(t, tree.BeforeCommand(t.Context(), "check-01", true))
	fix("# shows what setup has made\n")
	must(t, tree.BeforeCommand(t.Context(), "check-01", true)) // it was cut off and runs again
	see("cut off")
	fix("cache\nout\n")
	must(t, tree.AfterCommand(t.Context(), "check-01", true))
	see("in the end")
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	must(t, err)
	if want := []string{"out/report.xml (made by setup or the check)"}; !slices.Equal(c.LeftOut, want) {
		t.Errorf("left out are %q, want %q", c.LeftOut, want)
	}
}

// Files that a program has made unreadable are changes like others: what a command leaves so stays out, and a commit names what an agent
// does.
func TestUnreadableFiles(t *testing.T) {
	if usertest.NotRoot(t) {
		return
	}
	b := newBench(t, gittest.NewBare(t, map[string]string{"a.go": "package a\n", "b.go": "package b\n"}))
	_, tree := b.prepare("t-1", 1)
	dir := tree.Dir()
	closes := func(files map[string]string) {
		t.Helper()
		gittest.Write(t, dir, files)
		for name := range files {
			must(t, os.Chmod(filepath.Join(dir, name), 0))
		}
	}
	for _, key := range []string{"setup-01", "check-01"} {
		must(t, tree.BeforeCommand(t.Context(), key, key == "check-01"))
		closes(map[string]string{key: "x\n"})
		must(t, tree.AfterCommand(t.Context(), key, key == "check-01"))
	}
	before, err := tree.Fingerprint(t.Context())
	must(t, err)
	gittest.Write(t, dir, map[string]string{"a.go": "package a // work\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	must(t, err)
	if want := []string{"check-01 (made by setup or the check)", "setup-01 (made by setup or the check)"}; !slices.Equal(c.LeftOut, want) || !c.Created {
		t.Errorf("left out are %q, want %q: %+v", c.LeftOut, want, c)
	}
	see := func(what string) {
		t.Helper()
		last := before
		before, err = tree.Fingerprint(t.Context())
		must(t, err)
		again, err := tree.Fingerprint(t.Context())
		must(t, err)
		if again != before || before == last {
			t.Errorf("%s: the fingerprint is %q, then %q, after %q", what, before, again, last)
		}
	}
	see("committed")
	saved := before
	closes(map[string]string{"b.go": "package b // work\n"})
	see("written and closed")
	closes(map[string]string{"new.go": "package b\n"})
	see("made and closed")
	must(t, os.Chmod(filepath.Join(dir, "new.go"), 0o644))
	closes(map[string]string{"new.go": "package b // longer\n"})
	see("changed and closed again")
	must(t, os.Remove(filepath.Join(dir, "new.go")))
	see("removed")
	_, err = tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"})
	wantFault(t, err, fault.Work, "b.go", "can't be read")
	if !strings.Contains(fault.HintOf(err), "chmod) or remove it;") {
		t.Errorf("the hint is %q", fault.HintOf(err))
	}
	must(t, tree.Restore(t.Context(), saved))
	if got := readFile(t, dir, "b.go"); got != "package b\n" {
		t.Errorf("restored, b.go holds %q", got)
	}
}

// A command may replace a folder by a link that leads out of the work tree.
func TestAFolderBecomesALink(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"a.go": "package a\n", "dir/deep/b.go": "package b\n"}))
	_, tree := b.prepare("t-1", 1)
	for _, key := range []string{"setup-01", "check-01"} {
		must(t, tree.BeforeCommand(t.Context(), key, key == "check-01"))
		must(t, os.RemoveAll(filepath.Join(tree.Dir(), "dir")))
		must(t, os.Symlink(t.TempDir(), filepath.Join(tree.Dir(), "dir")))
		must(t, tree.AfterCommand(t.Context(), key, key == "check-01"))
	}
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	must(t, err)
	if c.Created {
		t.Errorf("committed %+v", c)
	}
}

// More files than can be remembered are committed like the task's own, which the commit says once; not when they are ignored by then.
func TestTooManyMadeFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ignored string
		want    bool
	}{"committed": {"", true}, "ignored": {"venv/\n", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, gittest.NewBare(t, map[string]string{"a.go": "package a\n"}))
			_, tree := b.prepare("t-1", 1)
			files := map[string]string{}
			for i := range mostMade + 1 {
				files[fmt.Sprintf("venv/%d.py", i)] = ""
			}
			for _, key := range []string{"setup-01", "check-01"} {
				must(t, tree.BeforeCommand(t.Context(), key, key == "check-01"))
				gittest.Write(t, tree.Dir(), files)
				must(t, tree.AfterCommand(t.Context(), key, key == "check-01"))
			}
			var got [2]Commit
			for i := range got {
				got[i] = b.commit(tree, fmt.Sprint(i), map[string]string{"a.go": fmt.Sprintf("package a // %d\n", i), ".gitignore": c.ignored})
			}
			if got[0].MadeToo != c.want || got[1].MadeToo {
				t.Errorf("the commits say %v and %v, want %v and false", got[0].MadeToo, got[1].MadeToo, c.want)
			}
		})
	}
}
