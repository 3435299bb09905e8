package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// round is the spec of a round that continues on the task's branch.
func (b *bench) round(id string, fence int) Spec {
	s := b.spec(id, fence)
	s.Base, s.Continue = "main", true
	return s
}

// ended runs a task of one commit to its end. It returns the head that was pushed.
func (b *bench) ended(id string, files map[string]string) string {
	b.t.Helper()
	_, tree := b.prepare(id, 1)
	c := b.commit(tree, "1", files)
	if _, err := tree.Push(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	must(b.t, b.m.Remove(b.t.Context(), id, false))
	return c.ID
}

func TestContinue(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"a.txt": "a\n", "README.md": "ours\n"})
	tip := gittest.Commit(t, bare, "longshift/t-1", "A suggestion", map[string]string{"theirs.txt": "t\n"})
	trunk := gittest.Commit(t, bare, "main", "Later", map[string]string{"later.txt": "x\n"})

	ws, tree := b.prepareOn(b.m, b.round("t-1", 2))
	want := Workspace{Dir: tree.Dir(), BaseBranch: "main", BaseCommit: tip, Head: tip, Branch: "longshift/t-1"}
	if ws != want {
		t.Errorf("got %+v, want %+v", ws, want)
	}
	if again, err := b.m.Prepare(t.Context(), b.round("t-1", 2)); err != nil || again != want {
		t.Errorf("again: %+v, %v", again, err)
	}
	if agent(t, tree, "rev-parse", "origin/main") != trunk || agent(t, tree, "log", "--format=%s", "origin/main..") != "A suggestion\nWork 1" ||
		agent(t, tree, "status", "--porcelain") != "" || readFile(t, tree.Dir(), "theirs.txt") != "t\n" {
		t.Error("the agent sees something else")
	}
	// The branch's own files are not used as settings, because nobody has accepted them yet.
	if data, _, err := tree.Base.File(t.Context(), "README.md"); err != nil || string(data) != "hello\n" {
		t.Errorf("file of the base is %q, %v", data, err)
	}
	// A key of the first round is free again, and what goes out and is looked at is this round's alone.
	c := b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
	messages, err := tree.Diffs.Messages(t.Context())
	if err != nil || len(messages) != 1 || messages[c.ID] == "" {
		t.Errorf("outgoing %q, %v", messages, err)
	}
	if d, err := tree.Diffs.Since(t.Context(), ws.BaseCommit); err != nil || d.Files != 1 || d.Added != 1 {
		t.Errorf("diff %+v, %v", d, err)
	}
	must(t, tree.Checkpoint(t.Context()))
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID || gittest.Ref(t, bare, "refs/heads/longshift/t-1") != c.ID {
		t.Errorf("push: %s, %v", head, err)
	}
	// People push during the round.
	gittest.Commit(t, bare, "longshift/t-1", "One more", map[string]string{"more.txt": "t\n"})
	b.commit(tree, "2", map[string]string{"c.txt": "c\n"})
	_, err = tree.Push(t.Context())
	wantFault(t, err, fault.Changed, "Jane: One more")
}

func TestContinueOnAnotherHost(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	tip := b.ended("t-1", map[string]string{"a.txt": "a\n", ".longshift.yaml": "mine: true\n"})
	one, tree := b.prepareOn(b.m, b.round("t-1", 2))
	c := b.commit(tree, "7", map[string]string{"b.txt": "b\n"})
	must(t, tree.Checkpoint(t.Context()))
	gittest.Git(t, bare, "update-ref", "refs/heads/main", gittest.Commit(t, bare, "rewritten", "Rewritten", map[string]string{"r.txt": "x"}))

	ws, there := b.prepareOn(b.manager(t.TempDir()), b.round("t-1", 3))
	if !ws.Restored || ws.Head != c.ID || ws.BaseCommit != tip || ws.BaseBranch != "main" || one.BaseCommit != tip {
		t.Errorf("got %+v", ws)
	}
	if _, found, err := there.Base.File(t.Context(), ".longshift.yaml"); found || err != nil {
		t.Errorf("settings of the branch count: %v, %v", found, err)
	}
	if found, err := there.Commit(t.Context(), CommitSpec{Key: "7", Message: "x"}); err != nil || found.ID != c.ID {
		t.Errorf("the key is lost: %+v, %v", found, err)
	}
	b.commit(tree, "8", map[string]string{"late.txt": "x\n"})
	wantFault(t, tree.Checkpoint(t.Context()), fault.Fenced, "attempt 3")
	if head, err := there.Push(t.Context()); err != nil || head != c.ID {
		t.Error(head, err)
	}
}

func TestContinueNeedsBothBranches(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, err := b.m.Prepare(t.Context(), b.round("t-1", 1))
	wantFault(t, err, fault.NotFound, `"longshift/t-1"`, "owner/repo")
	b.ended("t-1", map[string]string{"a.txt": "a\n"})
	s := b.round("t-1", 2)
	s.Base = ""
	_, err = b.m.Prepare(t.Context(), s)
	wantFault(t, err, fault.Input, "field base")
	s.Base = "gone"
	_, err = b.m.Prepare(t.Context(), s)
	wantFault(t, err, fault.NotFound, `"gone"`)
	if ws, _ := b.prepareOn(b.m, b.round("t-1", 2)); ws.Head == "" {
		t.Errorf("got %+v", ws)
	}
}

// TestContinueWhereAnEndedRoundWasLeft: the refs of the round are gone, but its folder is still on this host.
func TestContinueWhereAnEndedRoundWasLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		between func(t *testing.T, b *bench, tree *Tree, bare string)
		head    string // subjects of the branch afterwards
		files   map[string]bool
	}{
		"people went on": {func(t *testing.T, _ *bench, _ *Tree, bare string) {
			gittest.Commit(t, bare, "longshift/t-1", "Theirs", map[string]string{"theirs.txt": "t\n"})
		}, "Theirs|Work 1|First commit", map[string]bool{"theirs.txt": true, "a.txt": true, "open.txt": false}},
		"nobody went on": {func(*testing.T, *bench, *Tree, string) {},
			"Work 1|First commit", map[string]bool{"a.txt": true, "open.txt": false}},
		"half removed": {func(t *testing.T, _ *bench, tree *Tree, _ string) {
			must(t, os.Remove(filepath.Join(tree.Dir(), "a.txt")))
		}, "Work 1|First commit", map[string]bool{"a.txt": true}},
		"more was never pushed": {func(t *testing.T, b *bench, tree *Tree, _ string) {
			b.commit(tree, "2", map[string]string{"never.txt": "n\n"})
		}, "Work 2|Work 1|First commit", map[string]bool{"never.txt": true}},
		"the branch was rewritten": {func(t *testing.T, _ *bench, _ *Tree, bare string) {
			gittest.Git(t, bare, "update-ref", "refs/heads/longshift/t-1", gittest.Commit(t, bare, "new", "Anew", map[string]string{"new.txt": "n\n"}))
		}, "Anew|First commit", map[string]bool{"a.txt": false, "new.txt": true}},
		"a merge waited": {func(t *testing.T, _ *bench, tree *Tree, bare string) {
			gittest.Commit(t, bare, "main", "Other", map[string]string{"a.txt": "other\n", "from-main.txt": "x\n"})
			if m, err := tree.MergeBase(t.Context(), "m"); err != nil || len(m.Conflicts) != 1 {
				t.Errorf("%+v, %v", m, err)
			}
		}, "Work 1|First commit", map[string]bool{"a.txt": true, "from-main.txt": false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := gittest.NewBare(t, start)
			b := newBench(t, bare)
			_, tree := b.prepare("t-1", 1)
			b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			if _, err := tree.Push(t.Context()); err != nil {
				t.Fatal(err)
			}
			gittest.Write(t, tree.Dir(), map[string]string{"open.txt": "not committed\n"})
			c.between(t, b, tree, bare)
			for _, ref := range []string{"refs/longshift/t-1", "refs/longshift-fence/t-1"} {
				gittest.Git(t, bare, "update-ref", "-d", ref)
			}
			tip := gittest.Ref(t, bare, "refs/heads/longshift/t-1")
			ws, tree := b.prepareOn(b.m, b.round("t-1", 2))
			if ws.BaseCommit != tip || ws.Restored || ws.Merging != "" || subjects(t, tree) != c.head {
				t.Errorf("got %+v: %s", ws, subjects(t, tree))
			}
			for file, want := range c.files {
				if got := exists(filepath.Join(tree.Dir(), file)); got != want {
					t.Errorf("%s is there: %v", file, got)
				}
			}
			if got := agent(t, tree, "status", "--porcelain"); got != "" || agent(t, tree, "rev-parse", "HEAD") != ws.Head {
				t.Errorf("the agent sees %q", got)
			}
			if dirty, _, err := tree.Status(t.Context()); dirty || err != nil {
				t.Errorf("dirty %v, %v", dirty, err)
			}
			git := tree.at.place.git()
			left := gittest.Git(t, git, "for-each-ref", "--format=%(objectname)", "refs/longshift/left")
			if left == "" || gittest.Show(t, git, left, "open.txt") != "not committed" {
				t.Error("what was left is not kept")
			}
			b.commit(tree, "1x", map[string]string{"round.txt": "r\n"})
			if _, err := tree.Push(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestContinueWhereARoundWentOnElsewhere: the first round is on this host, and the second one was begun on another.
func TestContinueWhereARoundWentOnElsewhere(t *testing.T) {
	t.Parallel()
	for _, checkpoint := range []bool{false, true} {
		bare := gittest.NewBare(t, start)
		b := newBench(t, bare)
		_, old := b.prepare("t-1", 1)
		b.commit(old, "1", map[string]string{"a.txt": "a\n"})
		if _, err := old.Push(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, ref := range []string{"refs/longshift/t-1", "refs/longshift-fence/t-1"} {
			gittest.Git(t, bare, "update-ref", "-d", ref)
		}
		tip := gittest.Commit(t, bare, "longshift/t-1", "Theirs", map[string]string{"theirs.txt": "t\n"})
		other := b.manager(t.TempDir())
		_, there := b.prepareOn(other, b.round("t-1", 2))
		want := tip
		if checkpoint {
			want = b.commit(there, "1", map[string]string{"b.txt": "b\n"}).ID
			must(t, there.Checkpoint(t.Context()))
		}
		ws, tree := b.prepareOn(b.m, b.round("t-1", 3))
		if ws.Head != want || ws.BaseCommit != tip || ws.Restored != checkpoint || !exists(filepath.Join(tree.Dir(), "theirs.txt")) {
			t.Errorf("checkpoint %v: got %+v", checkpoint, ws)
		}
		if c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"}); err != nil || checkpoint && c.ID != want || c.Created != checkpoint {
			t.Errorf("checkpoint %v: %+v, %v", checkpoint, c, err)
		}
	}
}

func TestContinueSHA256(t *testing.T) {
	t.Parallel()
	bare := filepath.Join(t.TempDir(), "repo.git")
	gittest.Git(t, "/", "init", "-q", "--bare", "--template=", "--object-format=sha256", "--initial-branch=main", bare)
	gittest.Commit(t, bare, "main", "First", start)
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"a.txt": "ours\n"})
	base := gittest.Commit(t, bare, "main", "Other", map[string]string{"a.txt": "theirs\n", "x.txt": "x\n"})
	_, tree := b.prepareOn(b.m, b.round("t-1", 2))
	m, err := tree.MergeBase(t.Context(), "m")
	if err != nil || m.Base != base || len(base) != 64 || strings.Join(m.Conflicts, " ") != "a.txt" {
		t.Fatalf("got %+v, %v", m, err)
	}
	if got := agent(t, tree, "status", "--porcelain"); got != "AA a.txt\nA  x.txt" {
		t.Errorf("the agent sees %q", got)
	}
	c := b.commit(tree, "1", map[string]string{"a.txt": "both\n"})
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID {
		t.Error(head, err)
	}
}

// Commits that a person takes off the branch while a round goes on stay off, and a branch that a person deletes stays deleted.
func TestPeopleTakeCommitsAway(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ act, want string }{
		"moved back": {"update-ref refs/heads/longshift/t-1 refs/heads/main", "moved back"},
		"deleted":    {"update-ref -d refs/heads/longshift/t-1", "was deleted"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			bare := gittest.NewBare(t, start)
			b := newBench(t, bare)
			b.ended("t-1", map[string]string{"a.txt": "a\n"})
			_, tree := b.prepareOn(b.m, b.round("t-1", 2))
			b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
			gittest.Git(t, bare, strings.Fields(c.act)...)
			before := gittest.Refs(t, bare)["refs/heads/longshift/t-1"]
			_, err := tree.Push(t.Context())
			wantFault(t, err, fault.Changed, c.want)
			if after := gittest.Refs(t, bare)["refs/heads/longshift/t-1"]; after != before {
				t.Errorf("the branch is at %s, people had put it at %q", after, before)
			}
		})
	}
}
