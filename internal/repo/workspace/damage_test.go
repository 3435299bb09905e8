package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

func TestDamagedState(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"cut":     func(path string) error { return os.Truncate(path, 20) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"other":   func(path string) error { return os.WriteFile(path, []byte(`{"x":1}`), 0o600) },
		"missing": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			bare := gittest.NewBare(t, start)
			b := newBench(t, bare)
			before, tree := b.prepare("t-1", 1)
			c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			must(t, tree.Checkpoint(t.Context()))
			two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
			gittest.Write(t, tree.Dir(), map[string]string{"open.txt": "open\n"})
			file := b.m.place("t-1").state()
			content, _ := os.ReadFile(file)
			must(t, damage(file))
			damaged, _ := os.ReadFile(file)
			_, err := b.m.Open(t.Context(), "t-1", 1)
			wantFault(t, err, fault.NotFound)
			if name != "missing" {
				wantFault(t, err, fault.NotFound, file+" is damaged", file+".damaged")
				if kept, err := os.ReadFile(file + ".damaged"); err != nil || string(kept) != string(damaged) {
					t.Errorf("kept %q of %q, %v", kept, content, err)
				}
			}
			ws, err := b.m.Prepare(t.Context(), b.spec("t-1", 1))
			must(t, err)
			if ws.Head != two.ID || ws.BaseCommit != before.BaseCommit || ws.BaseBranch != "main" || readFile(t, ws.Dir, "open.txt") != "open\n" {
				t.Errorf("got %+v", ws)
			}
			tree, err = b.m.Open(t.Context(), "t-1", 1)
			must(t, err)
			must(t, tree.Checkpoint(t.Context()))
			if gittest.Ref(t, bare, "refs/longshift/t-1") != two.ID || c.ID == two.ID {
				t.Error("the checkpoint is behind")
			}
		})
	}
}

func TestDamagedFence(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 2)
	file := b.m.place("t-1").fence()
	must(t, os.WriteFile(file, []byte("two\n"), 0o600))
	_, _, err := tree.Status(t.Context())
	wantFault(t, err, fault.NotFound, file, "two")
	if readFile(t, file+".damaged") != "two\n" {
		t.Error("content is not kept")
	}
	_, _, err = tree.Status(t.Context())
	wantFault(t, err, fault.NotFound, "no fence")
	b.prepare("t-1", 2)
}

func TestDamagedGitFolderIsPutAside(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, b *bench, tree *Tree, head string){
		"branch": func(t *testing.T, _ *bench, tree *Tree, _ string) {
			must(t, os.WriteFile(filepath.Join(tree.at.place.git(), "refs/heads/longshift/t-1"), nil, 0o600))
		},
		"object": func(t *testing.T, _ *bench, tree *Tree, head string) {
			path := filepath.Join(tree.at.place.git(), "objects", head[:2], head[2:])
			must(t, os.Chmod(path, 0o600))
			must(t, os.Truncate(path, 0))
		},
		"mirror": func(t *testing.T, b *bench, _ *Tree, _ string) {
			must(t, os.RemoveAll(b.m.mirrors.dir))
			must(t, os.Mkdir(b.m.mirrors.dir, 0o700))
		},
		"gone": func(t *testing.T, _ *bench, tree *Tree, _ string) { must(t, os.RemoveAll(tree.at.place.git())) },
		"tree": func(t *testing.T, _ *bench, tree *Tree, _ string) { must(t, os.RemoveAll(tree.Dir())) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, gittest.NewBare(t, start))
			_, tree := b.prepare("t-1", 1)
			c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			must(t, tree.Checkpoint(t.Context()))
			gittest.Write(t, tree.Dir(), map[string]string{"open.txt": "open\n"})
			damage(t, b, tree, c.ID)
			ws, err := b.m.Prepare(t.Context(), b.spec("t-1", 1))
			must(t, err)
			if !ws.Restored || ws.Head != c.ID || readFile(t, ws.Dir, "a.txt") != "a\n" {
				t.Errorf("got %+v", ws)
			}
			if name != "tree" {
				if kept, err := os.ReadFile(filepath.Join(b.m.place("t-1").dir, "damaged-1/work/open.txt")); err != nil || string(kept) != "open\n" {
					t.Errorf("open work is not kept: %v", err)
				}
			}
			b.prepare("t-1", 1)
			must(t, b.m.Remove(t.Context(), "t-1", false))
			if exists(b.m.place("t-1").dir) {
				t.Error("something is left")
			}
		})
	}
}

// A git that dies says nothing about the workspace: work that is not committed stays where it is.
func TestKilledGitIsNoDamage(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	must(t, tree.Checkpoint(t.Context()))
	gittest.Write(t, tree.Dir(), map[string]string{"open.txt": "open\n"})
	for n := 1; ; n++ {
		m := b.manager(b.m.config.Dir)
		broken := breakAt(t, m, n, true)
		ws, err := m.Prepare(t.Context(), b.spec("t-1", 1))
		if !broken() {
			if err != nil || n < 3 {
				t.Errorf("without a death, at call %d: %v", n, err)
			}
			return
		}
		if got := readFile(t, tree.Dir(), "open.txt"); got != "open\n" || err == nil && ws.Dir != tree.Dir() {
			t.Fatalf("after a death at call %d (%v) open.txt holds %q in %+v", n, err, got, ws)
		}
	}
}

func TestHalfMadeWorkspaceIsMadeAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	must(t, os.Remove(tree.at.place.ready()))
	must(t, os.Remove(tree.at.place.state()))
	must(t, os.Remove(filepath.Join(tree.Dir(), "README.md"))) // as if the check-out was broken off
	ws, err := b.m.Prepare(t.Context(), b.spec("t-1", 1))
	if err != nil || readFile(t, ws.Dir, "README.md") != "hello\n" {
		t.Errorf("got %+v, %v", ws, err)
	}
}

func TestStaleLocksAreRemoved(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	for n, name := range []string{"index.lock", "HEAD.lock", "refs/heads/longshift/t-1.lock"} {
		path := filepath.Join(tree.at.place.git(), name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.WriteFile(filepath.Join(tree.Dir(), ".git/index.lock"), nil, 0o600))
		b.commit(tree, name, map[string]string{"a.txt": strings.Repeat("a\n", n+1)})
		if exists(path) {
			t.Errorf("%s is still there", name)
		}
		if got := agent(t, tree, "status", "--porcelain"); got != "" {
			t.Errorf("the agent sees %q", got)
		}
	}
	mirror := b.m.mirrors.at(mirrorName(b.repository(), b.remote))
	must(t, os.WriteFile(filepath.Join(mirror.dir, mirrored("main")+".lock"), nil, 0o600))
	gittest.Commit(t, b.remote, "main", "Later", map[string]string{"later.txt": "x"})
	if ws, _ := b.prepare("t-2", 1); readFile(t, ws.Dir, "later.txt") != "x" {
		t.Error("the mirror is behind")
	}
}

func TestLockThatSomebodyHoldsIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	path := filepath.Join(tree.at.place.git(), "index.lock")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "a\n"})
	if _, err = tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"}); err == nil || !strings.Contains(err.Error(), "index.lock") || !exists(path) {
		t.Errorf("got %v", err)
	}
	// A git of the agent that waits for its editor holds its lock by being there.
	editor, err := process.Start(t.Context(), process.Spec{Path: "git", Dir: tree.Dir(), Env: gittest.Env(), Grace: -1,
		Args: []string{"-c", "core.editor=sh -c 'echo ready; exec sleep 1000'", "commit", "--allow-empty"}})
	must(t, err)
	defer editor.Stop()
	if _, err := editor.Stdout().Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if lock := filepath.Join(tree.Dir(), ".git/index.lock"); !inUse(lock, tree.Dir()) || inUse(lock, t.TempDir()) {
		t.Error("a git at work is not seen")
	}
}

func TestLocksWait(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	release, err := b.m.locks.take(t.Context(), "x")
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := b.m.locks.take(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	got := make(chan error)
	go func() {
		again, err := b.m.locks.take(t.Context(), "x")
		if err == nil {
			again()
		}
		got <- err
	}()
	must(t, os.Remove(filepath.Join(b.m.locks.dir, "x.lock"))) // as Remove does while somebody waits
	release()
	must(t, <-got)
}

func TestClosedTree(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	must(t, tree.Close())
	if _, _, err := tree.Status(t.Context()); err == nil {
		t.Error("a closed tree works")
	}
	if _, err := b.m.Open(t.Context(), "t-1", 2); fault.KindOf(err) != fault.NotFound {
		t.Errorf("not prepared for attempt 2: %v", err)
	}
	if _, err := b.m.Open(t.Context(), "none", 1); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no such task: %v", err)
	}
}
