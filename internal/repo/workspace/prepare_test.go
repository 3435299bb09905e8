package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

var start = map[string]string{"README.md": "hello\n", "src/main.go": "package main\n", "specs/a.md": "spec\n"}

func TestPrepare(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	base := gittest.Ref(t, bare, "refs/heads/main")
	gittest.Git(t, bare, "tag", "v1", base)
	b := newBench(t, bare)
	ws, tree := b.prepare("t-1", 1)
	want := Workspace{Dir: tree.Dir(), BaseBranch: "main", BaseCommit: base, Head: base, Branch: "longshift/t-1"}
	if ws != want {
		t.Errorf("got %+v, want %+v", ws, want)
	}
	if got := readFile(t, tree.Dir(), "src/main.go"); got != "package main\n" {
		t.Errorf("file holds %q", got)
	}
	// The agent sees a normal clone on the task's branch.
	for args, want := range map[string]string{
		"status --porcelain":              "",
		"rev-parse HEAD":                  base,
		"branch --show-current":           "longshift/t-1",
		"rev-parse origin/main":           base,
		"describe --tags":                 "v1",
		"config user.email":               author.Email,
		"log --format=%s":                 "First commit",
		"rev-parse --is-inside-work-tree": "true",
	} {
		if got := agent(t, tree, strings.Fields(args)...); got != want {
			t.Errorf("git %s gives %q, want %q", args, got, want)
		}
	}
	refs := gittest.Refs(t, bare)
	fence := refs["refs/longshift-fence/t-1"]
	if fence == "" || refs["refs/longshift/t-1"] != "" || refs["refs/heads/longshift/t-1"] != "" {
		t.Errorf("refs on the remote: %v", refs)
	}
	if text := gittest.Git(t, bare, "log", "-1", "--format=%s %an %at", fence); text != "fence 1 of task t-1 Longshift 0" {
		t.Errorf("fence says %q", text)
	}
}

func TestPrepareAgainLeavesWorkAlone(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	first, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"README.md": "changed\n", "new.txt": "new\n"})
	agent(t, tree, "add", "new.txt")
	gittest.Commit(t, bare, "main", "Later", map[string]string{"later.txt": "x"})
	fence := gittest.Ref(t, bare, "refs/longshift-fence/t-1")
	b.remote = "/nowhere" // the second call needs nobody

	again, err := b.manager(b.m.config.Dir).Prepare(t.Context(), b.spec("t-1", 1))
	must(t, err)
	if again != first {
		t.Errorf("got %+v, then %+v", first, again)
	}
	if got := agent(t, tree, "status", "--porcelain"); got != " M README.md\nA  new.txt" {
		t.Errorf("status is %q", got)
	}
	if now := gittest.Ref(t, bare, "refs/longshift-fence/t-1"); now != fence {
		t.Error("the fence moved")
	}
}

func TestPrepareWithALaterFenceTakesOver(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, old := b.prepare("t-1", 1)
	c := b.commit(old, "1", map[string]string{"a.txt": "a\n"})
	gittest.Write(t, old.Dir(), map[string]string{"b.txt": "not committed\n"})
	ws, tree := b.prepare("t-1", 3)
	if ws.Head != c.ID || ws.Restored {
		t.Errorf("got %+v", ws)
	}
	if got := readFile(t, tree.Dir(), "b.txt"); got != "not committed\n" {
		t.Errorf("uncommitted file holds %q", got)
	}
	wantFault(t, old.Checkpoint(t.Context()), fault.Fenced, "attempt 3", "attempt 1")
	_, err := b.m.Prepare(t.Context(), b.spec("t-1", 2))
	wantFault(t, err, fault.Fenced)
	_, err = b.m.Open(t.Context(), "t-1", 2)
	wantFault(t, err, fault.Fenced)
	must(t, tree.Checkpoint(t.Context()))
}

func TestPrepareRestoresTheCheckpointOnAnotherHost(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	one, old := b.prepare("t-1", 1)
	c := b.commit(old, "1", map[string]string{"a.txt": "a\n"})
	must(t, old.Checkpoint(t.Context()))
	gittest.Write(t, old.Dir(), map[string]string{"lost.txt": "x"})
	gittest.Commit(t, bare, "main", "Later", map[string]string{"later.txt": "x"})

	other := b.manager(t.TempDir())
	ws, tree := b.prepareOn(other, b.spec("t-1", 2))
	if !ws.Restored || ws.Head != c.ID || ws.BaseCommit != one.BaseCommit || ws.BaseBranch != "main" {
		t.Errorf("got %+v", ws)
	}
	if readFile(t, tree.Dir(), "a.txt") != "a\n" || exists(filepath.Join(tree.Dir(), "lost.txt")) || exists(filepath.Join(tree.Dir(), "later.txt")) {
		t.Error("the work tree is not the checkpoint's")
	}
	if again, err := other.Prepare(t.Context(), b.spec("t-1", 2)); err != nil || again != ws {
		t.Errorf("again: %+v, %v", again, err)
	}
	// The key of a commit is known on the new host too.
	if found, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Work 1"}); err != nil || found.ID != c.ID || !found.Created {
		t.Errorf("got %+v, %v", found, err)
	}
	// The first host comes back to life and is refused by the remote: its own fence file knows nothing of attempt 2.
	gittest.Write(t, old.Dir(), map[string]string{"late.txt": "x"})
	late, err := old.Commit(t.Context(), CommitSpec{Key: "2", Message: "late"})
	must(t, err)
	wantFault(t, old.Checkpoint(t.Context()), fault.Fenced, "attempt 2")
	_, err = old.Push(t.Context())
	wantFault(t, err, fault.Fenced, "attempt 2")
	refs := gittest.Refs(t, bare)
	if refs["refs/longshift/t-1"] != c.ID || refs["refs/heads/longshift/t-1"] != "" {
		t.Errorf("the late writer has written: %v (its commit is %s)", refs, late.ID)
	}
}

func TestPrepareFollowsTheCheckpointThatWentOn(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, old := b.prepare("t-1", 1)
	b.commit(old, "1", map[string]string{"a.txt": "a\n"})
	must(t, old.Checkpoint(t.Context()))
	stale := b.commit(old, "stale", map[string]string{"stale.txt": "never pushed\n"})
	gittest.Write(t, old.Dir(), map[string]string{"open.txt": "not committed\n"})

	other := b.manager(t.TempDir())
	_, there := b.prepareOn(other, b.spec("t-1", 2))
	on := b.commit(there, "2", map[string]string{"b.txt": "b\n"})
	must(t, there.Checkpoint(t.Context()))

	ws, tree := b.prepare("t-1", 3)
	if ws.Head != on.ID || !ws.Restored {
		t.Errorf("got %+v", ws)
	}
	if exists(filepath.Join(tree.Dir(), "stale.txt")) || exists(filepath.Join(tree.Dir(), "open.txt")) || readFile(t, tree.Dir(), "b.txt") != "b\n" {
		t.Error("the work tree is not the checkpoint's")
	}
	git := b.m.place("t-1").git()
	left := gittest.Git(t, git, "for-each-ref", "--format=%(objectname)", "refs/longshift/left")
	if gittest.Show(t, git, left, "open.txt") != "not committed" || gittest.Git(t, git, "rev-parse", left+"^") != stale.ID {
		t.Error("what was given up is not kept")
	}
	must(t, there.Checkpoint(t.Context())) // nothing new to push
	b.commit(there, "3", map[string]string{"c.txt": "c\n"})
	wantFault(t, there.Checkpoint(t.Context()), fault.Fenced, "attempt 3")
}

func TestPrepareBase(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	dev := gittest.Commit(t, bare, "dev/next", "On dev", map[string]string{"dev.txt": "x"})
	b := newBench(t, bare)
	s := b.spec("t-1", 1)
	s.Base = "dev/next"
	ws, _ := b.prepareOn(b.m, s)
	if ws.BaseBranch != "dev/next" || ws.BaseCommit != dev {
		t.Errorf("got %+v", ws)
	}
	s = b.spec("t-2", 1)
	s.Base = "gone"
	_, err := b.m.Prepare(t.Context(), s)
	wantFault(t, err, fault.Input, "field base", `"gone"`, "dev/next, main")
	if list, err := b.m.List(t.Context()); err != nil || strings.Join(list, " ") != "t-1 t-2" {
		t.Errorf("list is %v, %v", list, err)
	}
	s.Base = "main" // the half-made one is in nobody's way
	if ws, err := b.m.Prepare(t.Context(), s); err != nil || ws.BaseBranch != "main" {
		t.Errorf("got %+v, %v", ws, err)
	}
}

func TestPrepareRefusesBadSpecs(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	for name, change := range map[string]func(*Spec){
		"id up":       func(s *Spec) { s.TaskID = "../x" },
		"id empty":    func(s *Spec) { s.TaskID = "" },
		"id dots":     func(s *Spec) { s.TaskID = "a..b" },
		"id lock":     func(s *Spec) { s.TaskID = "a.lock" },
		"branch":      func(s *Spec) { s.Branch = "a b" },
		"branch flag": func(s *Spec) { s.Branch = "-f" },
		"branch ref":  func(s *Spec) { s.Branch = "a:refs/heads/main" },
		"branch lock": func(s *Spec) { s.Branch = "a.lock/b" },
		"branch dots": func(s *Spec) { s.Branch = "a/../b" },
		"branch end":  func(s *Spec) { s.Branch = "a/" },
		"base":        func(s *Spec) { s.Base = "*" },
		"same":        func(s *Spec) { s.Base = s.Branch },
		"the default": func(s *Spec) { s.Branch = "main" },
	} {
		s := b.spec("t-1", 1)
		change(&s)
		if _, err := b.m.Prepare(t.Context(), s); fault.KindOf(err) != fault.Input {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, good := range []string{"main", "feature/x-1", "größe", "a.b", "v1@x"} {
		if err := checkBranch("base", good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestEmptyRepository(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, nil)
	gittest.Git(t, bare, "symbolic-ref", "HEAD", "refs/heads/trunk")
	b := newBench(t, bare)
	ws, tree := b.prepare("t-1", 1)
	if !ws.Empty || ws.BaseCommit != "" || ws.Head != "" || ws.BaseBranch != "trunk" {
		t.Errorf("got %+v", ws)
	}
	must(t, tree.Checkpoint(t.Context()))
	if _, found, err := tree.Base.File(t.Context(), "README.md"); found || err != nil {
		t.Errorf("file: %v, %v", found, err)
	}
	if dirty, head, err := tree.Status(t.Context()); dirty || head != "" || err != nil {
		t.Errorf("status: %v, %q, %v", dirty, head, err)
	}
	if c, err := tree.Commit(t.Context(), CommitSpec{Key: "0", Message: "none"}); err != nil || c.Created || c.ID != "" {
		t.Errorf("nothing to commit: %+v, %v", c, err)
	}
	c := b.commit(tree, "1", map[string]string{"a.txt": "1\n2\n"})
	if c.Files != 1 || c.Added != 2 || c.Deleted != 0 {
		t.Errorf("got %+v", c)
	}
	if d, err := tree.Diffs.Since(t.Context(), ""); err != nil || d.Files != 1 || !strings.Contains(d.Text, "+2") {
		t.Errorf("diff: %+v, %v", d, err)
	}
	must(t, tree.Checkpoint(t.Context()))
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID {
		t.Errorf("push: %s, %v", head, err)
	}
	ws, _ = b.prepareOn(b.manager(t.TempDir()), b.spec("t-1", 2))
	if !ws.Empty || ws.Head != c.ID || !ws.Restored || ws.BaseBranch != "trunk" {
		t.Errorf("on another host: %+v", ws)
	}
}

func TestCheckoutAsRemoteIsNotTouched(t *testing.T) {
	t.Parallel()
	dir := gittest.NewCheckout(t, start)
	gittest.Write(t, dir, map[string]string{"README.md": "the user's own change\n"})
	gittest.Git(t, dir, "config", "receive.denyCurrentBranch", "updateInstead")
	b := newBench(t, dir)
	_, tree := b.prepare("t-1", 1)
	c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID {
		t.Fatal(head, err)
	}
	if got := gittest.Git(t, dir, "status", "--porcelain"); got != " M README.md" {
		t.Errorf("status of the checkout is %q", got)
	}
	if gittest.Ref(t, dir, "refs/heads/longshift/t-1") != c.ID {
		t.Error("the branch is not there")
	}
	gittest.Git(t, dir, "stash", "-q")
	gittest.Git(t, dir, "checkout", "-q", "longshift/t-1")
	b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	_, err := tree.Push(t.Context())
	wantFault(t, err, fault.Denied, "checked out")
	if exists(filepath.Join(dir, "b.txt")) {
		t.Error("the checkout was changed")
	}
}

func TestTwoTasksShareAMirrorAndNothingElse(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	done := make(chan error)
	for _, id := range []string{"t-1", "t-2", "t-3"} {
		go func() {
			_, err := b.m.Prepare(t.Context(), b.spec(id, 1))
			done <- err
		}()
	}
	for range 3 {
		must(t, <-done)
	}
	if mirrors, _ := filepath.Glob(filepath.Join(b.m.mirrors.dir, "*.git")); len(mirrors) != 1 {
		t.Errorf("mirrors: %v", mirrors)
	}
	_, one := b.prepare("t-1", 1)
	_, two := b.prepare("t-2", 1)
	c := b.commit(one, "1", map[string]string{"a.txt": "a\n"})
	if dirty, head, err := two.Status(t.Context()); dirty || head == c.ID || err != nil {
		t.Errorf("the other task: %v %s %v", dirty, head, err)
	}
	must(t, one.Checkpoint(t.Context()))
	must(t, b.m.Remove(t.Context(), "t-1", false))
	if _, err := os.Stat(two.Dir()); err != nil {
		t.Error(err)
	}
	b.commit(two, "1", map[string]string{"b.txt": "b\n"})
	must(t, two.Checkpoint(t.Context()))
}

func TestSHA256(t *testing.T) {
	t.Parallel()
	bare := filepath.Join(t.TempDir(), "repo.git")
	gittest.Git(t, "/", "init", "-q", "--bare", "--template=", "--object-format=sha256", "--initial-branch=main", bare)
	base := gittest.Commit(t, bare, "main", "First", start)
	b := newBench(t, bare)
	ws, tree := b.prepare("t-1", 1)
	if ws.BaseCommit != base || len(base) != 64 {
		t.Errorf("got %+v", ws)
	}
	c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID || agent(t, tree, "rev-parse", "HEAD") != c.ID {
		t.Errorf("%s, %v", head, err)
	}
}

// An empty repository of SHA-256 does not say so, and is refused at once.
func TestEmptySHA256(t *testing.T) {
	t.Parallel()
	bare := filepath.Join(t.TempDir(), "repo.git")
	gittest.Git(t, "/", "init", "-q", "--bare", "--template=", "--object-format=sha256", bare)
	b := newBench(t, bare)
	_, err := b.m.Prepare(t.Context(), b.spec("t-1", 1))
	wantFault(t, err, fault.Input, "another object format")
}
