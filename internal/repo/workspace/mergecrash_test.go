package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// wholeRound does what a round does with its workspace, and takes things back on the way.
func wholeRound(ctx context.Context, m *Manager, spec Spec) error {
	if _, err := m.Prepare(ctx, spec); err != nil {
		return err
	}
	tree, err := m.Open(ctx, spec.TaskID, spec.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	if _, err := tree.MergeBase(ctx, "m"); err != nil {
		return err
	}
	if err := tree.AbortMerge(ctx); err != nil {
		return err
	}
	merge, err := tree.MergeBase(ctx, "m")
	if err != nil {
		return err
	}
	if len(merge.Conflicts) > 0 {
		if err := os.WriteFile(filepath.Join(tree.Dir(), "f.txt"), []byte("both\n"), 0o644); err != nil {
			return err
		}
	}
	if _, err := tree.Commit(ctx, CommitSpec{Key: "1", Message: "Work 1"}); err != nil {
		return err
	}
	if err := tree.Uncommit(ctx); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tree.Dir(), "2.txt"), []byte("2\n"), 0o644); err != nil {
		return err
	}
	if _, err := tree.Commit(ctx, CommitSpec{Key: "2", Message: "Work 2", Exclude: []string{"specs"}}); err != nil {
		return err
	}
	if err := tree.Checkpoint(ctx); err != nil {
		return err
	}
	_, err = tree.Push(ctx)
	return err
}

// TestCrashInARound breaks a round off after calls of git all over it and starts it over: by the same attempt, the next
// one, and the next one on another host.
func TestCrashInARound(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"conflict": "echo theirs > f.txt;", "clean": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin := gittest.NewBare(t, map[string]string{"f.txt": "base\n", "specs/a.md": "spec\n", "gone.txt": "x\n"})
			ours := gittest.Commit(t, origin, "longshift/t-1", "Round 1", map[string]string{"f.txt": "ours\n"})
			base := onMain(t, origin, script+"echo new > new.txt; echo s > specs/b.md; rm gone.txt")
			// Each of the two takes every sixth call; the other one's calls are mostly the same.
			for n := 1 + 3*min(len(script), 1); ; n += 6 {
				bare := filepath.Join(t.TempDir(), "repo.git")
				must(t, os.CopyFS(bare, os.DirFS(origin)))
				b := newBench(t, bare)
				spec := b.round("t-1", 1)
				broken := breakAt(t, b.m, n, true)
				err := wholeRound(t.Context(), b.m, spec)
				if !broken() {
					if err != nil || n < 60 {
						t.Fatalf("only %d calls; the test breaks nothing: %v", n, err)
					}
					return
				}
				m := b.manager(b.m.config.Dir)
				switch n / 6 % 3 {
				case 1:
					spec.Fence = 2
				case 2:
					spec.Fence, m = 2, b.manager(t.TempDir())
				}
				if err := wholeRound(t.Context(), m, spec); err != nil {
					t.Fatalf("after a crash at call %d (%v): %v", n, err, err)
				}
				head := gittest.Ref(t, bare, "refs/heads/longshift/t-1")
				if got := gittest.Git(t, bare, "log", "-1", "--format=%s %P", head); got != "Work 2 "+ours+" "+base {
					t.Fatalf("after a crash at call %d: head is %q", n, got)
				}
				files := strings.ReplaceAll(gittest.Git(t, bare, "ls-tree", "-r", "--name-only", head), "\n", " ")
				if want := "2.txt f.txt new.txt specs/a.md specs/b.md"; files != want ||
					gittest.Show(t, bare, head, "f.txt") != map[string]string{"conflict": "both", "clean": "ours"}[name] {
					t.Fatalf("after a crash at call %d: files %q", n, files)
				}
				tree, err := m.Open(t.Context(), "t-1", spec.Fence)
				must(t, err)
				if got := agent(t, tree, "status", "--porcelain"); got != "" || agent(t, tree, "rev-parse", "HEAD") != head {
					t.Fatalf("after a crash at call %d: the agent sees %q", n, got)
				}
				if got := outgoing(t, tree); strings.Contains(got, "new.txt") || !strings.Contains(got, "+2\n") {
					t.Fatalf("after a crash at call %d: goes out\n%s", n, got)
				}
			}
		})
	}
}

// TestHalfOfAStep: a worker died while it wrote the work tree. The next operation completes it.
func TestHalfOfAStep(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(t *testing.T, b *bench) *Tree{
		"open": func(t *testing.T, b *bench) *Tree {
			tree, err := b.manager(b.m.config.Dir).Open(t.Context(), "t-1", 2)
			must(t, err)
			return tree
		},
		"prepare":      func(t *testing.T, b *bench) *Tree { _, tree := b.prepareOn(b.m, b.round("t-1", 2)); return tree },
		"next attempt": func(t *testing.T, b *bench) *Tree { _, tree := b.prepareOn(b.m, b.round("t-1", 3)); return tree },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, ws, tree, base := waiting(t)
			whole, err := tree.Fingerprint(t.Context())
			must(t, err)
			merging := &merging{}
			must(t, tree.at.locked(t.Context(), func(o *opened) error {
				merging = o.state.Merging
				return nil
			}))
			must(t, tree.AbortMerge(t.Context()))
			must(t, tree.at.locked(t.Context(), func(o *opened) error {
				o.state.Step = &step{Head: ws.Head, Work: merging.Tree, Merging: merging}
				return o.state.save()
			}))
			must(t, os.Remove(filepath.Join(tree.Dir(), "f.txt")))
			gittest.Write(t, tree.Dir(), map[string]string{"new.txt": "ne", "specs/new.md": "s\n"})
			gittest.Write(t, tree.at.place.git(), map[string]string{"index.lock": "half"})

			tree = next(t, b)
			if got, err := tree.Fingerprint(t.Context()); err != nil || got != whole {
				t.Errorf("%s, want %s, %v", got, whole, err)
			}
			c := b.commit(tree, "1", map[string]string{"f.txt": "both\n"})
			wantMerge(t, tree, c, ws.Head, base, all)
		})
	}
}
