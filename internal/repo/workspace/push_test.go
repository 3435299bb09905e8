package workspace

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func TestPush(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	for range 2 {
		if head, err := tree.Push(t.Context()); err != nil || head != c.ID {
			t.Fatal(head, err)
		}
	}
	refs := gittest.Refs(t, bare)
	if refs["refs/heads/longshift/t-1"] != c.ID || refs["refs/longshift/t-1"] != c.ID {
		t.Errorf("refs %v", refs)
	}
	gittest.Git(t, bare, "update-ref", "-d", "refs/heads/longshift/t-1") // merged and deleted by somebody
	two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	if head, err := tree.Push(t.Context()); err != nil || head != two.ID {
		t.Error(head, err)
	}
}

func TestPushRefusesToDropCommitsOfOthers(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	if _, err := tree.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	theirs := gittest.Commit(t, bare, "longshift/t-1", "Fix a typo", map[string]string{"typo.txt": "x"})
	b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	must(t, tree.Checkpoint(t.Context())) // the checkpoint is ours alone
	_, err := tree.Push(t.Context())
	wantFault(t, err, fault.Changed, "longshift/t-1", theirs[:7], "Jane: Fix a typo")
	if strings.Contains(err.Error(), "Work 1") {
		t.Errorf("our own commits are named: %v", err)
	}
	if gittest.Ref(t, bare, "refs/heads/longshift/t-1") != theirs {
		t.Error("their commit is gone")
	}
	// A branch of that name existed before the task.
	foreign := gittest.Commit(t, bare, "longshift/t-2", "Mine", map[string]string{"mine.txt": "x"})
	_, other := b.prepare("t-2", 1)
	b.commit(other, "1", map[string]string{"a.txt": "a\n"})
	_, err = other.Push(t.Context())
	wantFault(t, err, fault.Changed, "Jane: Mine")
	if gittest.Ref(t, bare, "refs/heads/longshift/t-2") != foreign {
		t.Error("their branch is gone")
	}
}

func TestBranchNameInTheWay(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	gittest.Git(t, h.Bare, "branch", "longshift", "main")
	for _, remote := range []string{h.URL, h.Bare} {
		b := newBench(t, remote)
		_, tree := b.prepare("t-1", 1)
		b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
		must(t, tree.Checkpoint(t.Context()))
		_, err := tree.Push(t.Context())
		wantFault(t, err, fault.Changed, "leaves no room", "refs/heads/longshift")
		if hint := fault.HintOf(err); strings.Contains(hint, "prefix") || !strings.Contains(hint, "resume") { // the branch has its name by now
			t.Errorf("the hint is %q", hint)
		}
		must(t, b.m.Remove(t.Context(), "t-1", false))
	}
}

// What leaves no room for the branch is known as soon as there is a workspace: in the repository that gets the branch, which a fork is.
func TestRival(t *testing.T) {
	t.Parallel()
	upstream, fork := gittest.NewBare(t, start), filepath.Join(t.TempDir(), "fork.git")
	gittest.Git(t, "/", "clone", "-q", "--bare", upstream, fork)
	base := gittest.Commit(t, upstream, "a", "Later", map[string]string{"later.txt": "l\n"})
	for _, branch := range []string{"a", "b", "c/d", "e/t-1/x"} {
		gittest.Git(t, fork, "branch", branch, "main")
	}
	b := newBench(t, upstream)
	b.fork = fork
	for i, c := range []struct {
		branch string
		forked bool
		rival  string
	}{
		{"a/t-1", false, "refs/heads/a"}, {"a/t-1", true, "refs/heads/a"}, {"b/t-1", false, ""}, {"b/t-1", true, "refs/heads/b"},
		{"c/d/t-1", true, "refs/heads/c/d"}, {"e/t-1", true, "refs/heads/e/t-1/x"}, {"c/t-1", true, ""}, {"bb/t-1", true, ""}, {"e/t", true, ""},
	} {
		spec := b.spec(fmt.Sprintf("t-%d", i), 1)
		spec.Branch, spec.Base = c.branch, "a"
		if c.forked {
			spec.Fork = &task.Repository{Text: "ann/repo", Owner: "ann", Name: "repo"}
		}
		for range 2 {
			if ws, err := b.m.Prepare(t.Context(), spec); err != nil || ws.Rival != c.rival || ws.BaseCommit != base {
				t.Errorf("%+v: got %+v, %v", c, ws, err)
			}
		}
	}
}

// TestLookingWaitsForNobody: the next session can be prepared while a push hangs.
func TestLookingWaitsForNobody(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	b := newBench(t, h.URL)
	b.m.remotes.silence = time.Minute
	ws, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	begun, goOn := make(chan bool, 1), make(chan bool)
	h.Before(func(service, step string) gittest.Action {
		if service == "receive-pack" && step == "serve" {
			begun <- true
			<-goOn
		}
		return gittest.Action{}
	})
	pushed := make(chan error)
	go func() { pushed <- tree.Checkpoint(t.Context()) }()
	<-begun
	again, err := b.m.Open(t.Context(), "t-1", 1)
	must(t, err)
	if _, found, err := again.Base.File(t.Context(), "README.md"); !found || err != nil {
		t.Error(found, err)
	}
	if d, err := again.Diffs.Since(t.Context(), ws.BaseCommit); d.Files != 1 || err != nil {
		t.Error(d, err)
	}
	if dirty, _, err := again.Status(t.Context()); dirty || err != nil {
		t.Error(dirty, err)
	}
	close(goOn)
	must(t, <-pushed)
}

func TestCheckpointMovedByHand(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	must(t, tree.Checkpoint(t.Context()))
	gittest.Git(t, bare, "update-ref", "refs/longshift/t-1", "refs/heads/main")
	b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	wantFault(t, tree.Checkpoint(t.Context()), fault.Changed, "checkpoint of task t-1")
}

func TestRemovedFenceEndsTheTask(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	gittest.Git(t, bare, "update-ref", "-d", "refs/longshift-fence/t-1")
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	wantFault(t, tree.Checkpoint(t.Context()), fault.Fenced, "has ended")
	_, err := tree.Push(t.Context())
	wantFault(t, err, fault.Fenced, "has ended")
}

// TestLateWriterInTheMiddleOfAPush is the race that a lease alone does not see: the fence moves after the old attempt's
// push has begun, and before the server moves its refs.
func TestLateWriterInTheMiddleOfAPush(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(t *testing.T, tree *Tree) error{
		"checkpoint": func(t *testing.T, tree *Tree) error { return tree.Checkpoint(t.Context()) },
		"push":       func(t *testing.T, tree *Tree) error { _, err := tree.Push(t.Context()); return err },
	} {
		t.Run(name, func(t *testing.T) {
			h := gittest.NewHTTP(t, start)
			b := newBench(t, h.URL)
			_, old := b.prepare("t-1", 1)
			one := b.commit(old, "1", map[string]string{"a.txt": "a\n"})
			must(t, old.Checkpoint(t.Context()))
			b.commit(old, "2", map[string]string{"b.txt": "b\n"})
			var raced atomic.Bool
			h.Before(func(service, step string) gittest.Action {
				if service == "receive-pack" && step == "serve" && raced.CompareAndSwap(false, true) {
					newer := newBench(t, h.Bare) // another host, which does not pass through the server we are in
					if _, err := newer.m.Prepare(t.Context(), newer.spec("t-1", 2)); err != nil {
						t.Error(err)
					}
				}
				return gittest.Action{}
			})
			wantFault(t, write(t, old), fault.Fenced, "attempt 2")
			refs := gittest.Refs(t, h.Bare)
			if !raced.Load() || refs["refs/longshift/t-1"] != one.ID || refs["refs/heads/longshift/t-1"] != "" {
				t.Errorf("raced %v, refs %v", raced.Load(), refs)
			}
		})
	}
}

// TestAnswerIsLost: the push succeeded, but its answer was lost.
func TestAnswerIsLost(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	b := newBench(t, h.URL)
	_, tree := b.prepare("t-1", 1)
	lose := func() {
		h.After(func(service, step string) gittest.Action {
			return gittest.Action{Drop: service == "receive-pack" && step == "serve"}
		})
	}
	one := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	lose()
	wantFault(t, tree.Checkpoint(t.Context()), fault.Infra)
	h.After(nil)
	if gittest.Ref(t, h.Bare, "refs/longshift/t-1") != one.ID {
		t.Fatal("the push has not landed")
	}
	must(t, tree.Checkpoint(t.Context()))

	two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	lose()
	_, err := tree.Push(t.Context())
	wantFault(t, err, fault.Infra)
	h.After(nil)
	three := b.commit(tree, "3", map[string]string{"c.txt": "c\n"}) // and the work goes on before the retry
	if _, err := tree.Squash(t.Context(), "", "All"); err != nil {
		t.Fatal(err)
	}
	head, err := tree.Push(t.Context())
	must(t, err)
	refs := gittest.Refs(t, h.Bare)
	if refs["refs/heads/longshift/t-1"] != head || head == two.ID || head == three.ID || refs["refs/longshift/t-1"] != head {
		t.Errorf("refs %v", refs)
	}

	_, lost := b.prepare("t-2", 1)
	lose()
	_, err = b.m.Prepare(t.Context(), b.spec("t-2", 2))
	wantFault(t, err, fault.Infra)
	h.After(nil)
	_, err = b.m.Open(t.Context(), "t-2", 2)
	wantFault(t, err, fault.NotFound, "not finished")
	wantFault(t, lost.Checkpoint(t.Context()), fault.Fenced)
	if _, err = b.m.Prepare(t.Context(), b.spec("t-2", 2)); err != nil {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	if _, err := tree.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, b.m.place("t-1").dir, map[string]string{"logs/setup.log": "kept by somebody else"})
	isLatest(t, b.m, true)
	must(t, b.m.Remove(t.Context(), "t-1", true))
	isLatest(t, b.m, false)
	if refs := gittest.Refs(t, bare); refs["refs/longshift/t-1"] != c.ID || refs["refs/longshift-fence/t-1"] == "" {
		t.Errorf("refs on the remote were not kept: %v", refs)
	}
	if got := readFile(t, b.m.place("t-1").dir, "logs/setup.log"); got != "kept by somebody else" || exists(tree.Dir()) {
		t.Error("wrong files removed")
	}
	if _, err := b.m.Open(t.Context(), "t-1", 1); fault.KindOf(err) != fault.NotFound {
		t.Errorf("open: %v", err)
	}
	if ws, err := b.m.Prepare(t.Context(), b.spec("t-1", 2)); err != nil || !ws.Restored || ws.Head != c.ID {
		t.Errorf("from the checkpoint: %+v, %v", ws, err)
	}
	for range 2 {
		must(t, b.m.Remove(t.Context(), "t-1", false))
	}
	refs := gittest.Refs(t, bare)
	if len(refs) != 2 || refs["refs/heads/longshift/t-1"] != c.ID {
		t.Errorf("refs on the remote: %v", refs)
	}
	if list, err := b.m.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("list %v, %v", list, err)
	}
	mirror := mirrorName(b.repository(), bare)
	for name := range gittest.Refs(t, b.m.mirrors.at(mirror).dir) {
		if strings.Contains(name, "t-1") {
			t.Errorf("%s is left in the mirror", name)
		}
	}
}

// Where nobody has moved anything on the remote, it is asked for nothing before a push or a removal.
func TestOnlyAMovedRemoteIsLookedAt(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	b := newBench(t, h.URL)
	_, tree := b.prepare("t-1", 1)
	c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	must(t, tree.Checkpoint(t.Context()))
	var looks, pushes atomic.Int32
	h.Before(func(service, step string) gittest.Action {
		switch {
		case service == "upload-pack" && step == "advertise":
			looks.Add(1)
		case service == "receive-pack" && step == "serve":
			pushes.Add(1)
		}
		return gittest.Action{}
	})
	for _, step := range []struct {
		name          string
		do            func() error
		looks, pushes int32
	}{
		{"push", func() error { _, err := tree.Push(t.Context()); return err }, 0, 1},
		{"push again", func() error { _, err := tree.Push(t.Context()); return err }, 1, 0},
		{"remove", func() error { return b.m.Remove(t.Context(), "t-1", false) }, 0, 1},
	} {
		looks.Store(0)
		pushes.Store(0)
		must(t, step.do())
		if looks.Load() > step.looks || pushes.Load() != step.pushes {
			t.Errorf("%s: %d looks and %d pushes, want at most %d and %d", step.name, looks.Load(), pushes.Load(), step.looks, step.pushes)
		}
	}
	refs := gittest.Refs(t, h.Bare)
	if refs["refs/heads/longshift/t-1"] != c.ID || refs[checkpointRef("t-1")] != "" || refs[fenceRef("t-1")] != "" {
		t.Errorf("refs %v", refs)
	}
}

// isLatest checks whether a host takes its workspace of t-1 for the latest attempt's.
func isLatest(t *testing.T, m *Manager, want bool) {
	t.Helper()
	if got, err := m.Latest(t.Context(), "t-1"); got != want || err != nil {
		t.Errorf("it has the latest attempt: %v, %v", got, err)
	}
}

func TestRemoveLeavesALaterAttemptAlone(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, old := b.prepare("t-1", 1)
	b.commit(old, "1", map[string]string{"a.txt": "a\n"})
	must(t, old.Checkpoint(t.Context()))
	other := b.manager(t.TempDir())
	_, tree := b.prepareOn(other, b.spec("t-1", 2))
	before := gittest.Refs(t, bare)
	isLatest(t, b.m, false)
	isLatest(t, other, true)
	must(t, b.m.Remove(t.Context(), "t-1", false))
	if after := gittest.Refs(t, bare); len(after) != len(before) || after["refs/longshift/t-1"] != before["refs/longshift/t-1"] {
		t.Errorf("refs %v, then %v", before, after)
	}
	b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	must(t, tree.Checkpoint(t.Context()))
}

func TestRemoveWhenTheRepositoryIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	b.prepare("t-1", 1)
	b.remote = t.TempDir() + "/gone.git"
	isLatest(t, b.m, true)
	must(t, b.m.Remove(t.Context(), "t-1", false))
}
