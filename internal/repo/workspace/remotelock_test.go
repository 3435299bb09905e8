package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// killedPush is a task whose push of a checkpoint was killed in the remote, with every lock taken and no ref moved yet.
func killedPush(t *testing.T, bare string) (b *bench, tree *Tree, c Commit, locks []string) {
	t.Helper()
	b = newBench(t, bare)
	_, tree = b.prepare("t-1", 1)
	c = b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	hook := filepath.Join(bare, "hooks", "reference-transaction")
	must(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	gittest.Program(t, hook, "#!/bin/sh\n[ $1 != prepared ] || kill -9 $PPID\n")
	err := tree.Checkpoint(t.Context())
	must(t, os.Remove(hook))
	wantFault(t, err, fault.Infra)
	for _, ref := range []string{"refs/longshift-fence/t-1", "refs/longshift/t-1"} {
		locks = append(locks, filepath.Join(bare, ref+".lock"))
		if !exists(locks[len(locks)-1]) {
			t.Fatalf("the killed push has left no lock of %s", ref)
		}
	}
	return b, tree, c, locks
}

func note(bare string) string { return filepath.Join(bare, "longshift-push-t-1") }

func TestLocksOfAKilledPushAreRemoved(t *testing.T) {
	t.Parallel()
	for name, goOn := range map[string]func(t *testing.T, b *bench, tree *Tree) error{
		"here": func(t *testing.T, _ *bench, tree *Tree) error { return tree.Checkpoint(t.Context()) },
		"on another host": func(t *testing.T, b *bench, _ *Tree) error {
			_, err := b.manager(t.TempDir()).Prepare(t.Context(), b.spec("t-1", 2))
			return err
		},
		"on another machine, after a while": func(t *testing.T, b *bench, tree *Tree) error {
			must(t, os.WriteFile(note(b.remote), []byte("elsewhere\n"), 0o600))
			past := time.Now().Add(-2 * forgotten)
			must(t, os.Chtimes(note(b.remote), past, past))
			for _, ref := range []string{"refs/longshift-fence/t-1", "refs/longshift/t-1"} {
				must(t, os.Chtimes(filepath.Join(b.remote, ref+".lock"), past, past.Add(time.Second)))
			}
			return tree.Checkpoint(t.Context())
		},
		"in the end": func(t *testing.T, b *bench, _ *Tree) error { return b.m.Remove(t.Context(), "t-1", false) },
	} {
		t.Run(name, func(t *testing.T) {
			bare := gittest.NewBare(t, start)
			b, tree, _, locks := killedPush(t, bare)
			must(t, goOn(t, b, tree))
			for _, path := range append(locks, note(bare)) {
				if exists(path) {
					t.Errorf("%s is still there", path)
				}
			}
		})
	}
}

// TestLocksOfOthersAreNamed: no note shows that the locks are ours or that nobody holds them.
func TestLocksOfOthersAreNamed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, change := range map[string]func(t *testing.T, bare string){
		"no note of ours": func(t *testing.T, bare string) { must(t, os.Remove(note(bare))) },
		"older than our push": func(t *testing.T, bare string) {
			must(t, os.Chtimes(note(bare), now.Add(time.Hour), now.Add(time.Hour)))
		},
		"of another machine": func(t *testing.T, bare string) {
			must(t, os.WriteFile(note(bare), []byte("elsewhere\n"), 0o600))
			must(t, os.Chtimes(note(bare), now.Add(-time.Hour), now.Add(-time.Hour)))
		},
		"a git is at work there": func(t *testing.T, bare string) {
			git, err := process.Start(t.Context(), process.Spec{Path: "git", Dir: bare, Env: gittest.Env(), Grace: -1,
				Args: []string{"-c", "alias.wait=!echo ready; exec sleep 1000", "wait"}})
			must(t, err)
			t.Cleanup(func() { git.Stop() })
			if _, err := git.Stdout().Read(make([]byte, 10)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bare := gittest.NewBare(t, start)
			_, tree, _, locks := killedPush(t, bare)
			change(t, bare)
			for range 2 {
				err := tree.Checkpoint(t.Context())
				wantFault(t, err, fault.Infra, "owner/repo is locked", ".lock has been there for")
				if !strings.Contains(fault.HintOf(err), "remove the file") || strings.Contains(err.Error(), "keeps moving") {
					t.Errorf("%v (%s)", err, fault.HintOf(err))
				}
			}
			for _, path := range locks {
				if !exists(path) {
					t.Errorf("%s was removed", path)
				}
				must(t, os.Remove(path))
			}
			must(t, tree.Checkpoint(t.Context())) // done as the hint says
		})
	}
}

// TestOtherLocksOfTheRemote: a lock on a ref that is not the task's is never removed, whatever the notes say.
func TestOtherLocksOfTheRemote(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b, tree, _, _ := killedPush(t, bare)
	lock := filepath.Join(bare, "packed-refs.lock")
	must(t, os.WriteFile(lock, nil, 0o600))
	past := time.Now().Add(-3 * time.Hour)
	must(t, os.Chtimes(lock, past, past))
	must(t, tree.Checkpoint(t.Context()))
	wantFault(t, b.m.Remove(t.Context(), "t-1", false), fault.Infra, lock+" has been there for 3h0m")
	if !exists(lock) {
		t.Error("the lock is gone")
	}
	must(t, os.Remove(lock))
	must(t, b.m.Remove(t.Context(), "t-1", false))
}
