package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// waiting returns a round with a waiting merge: f.txt is in conflict, new.txt and specs/new.md were merged.
func waiting(t *testing.T) (b *bench, ws Workspace, tree *Tree, base string) {
	t.Helper()
	bare := gittest.NewBare(t, map[string]string{"f.txt": "base\n", "x.txt": "x\n"})
	b = newBench(t, bare)
	b.ended("t-1", map[string]string{"f.txt": "ours\n"})
	ws, tree = b.prepareOn(b.m, b.round("t-1", 2))
	base = onMain(t, bare, "echo theirs > f.txt; echo new > new.txt; mkdir specs; echo s > specs/new.md; echo '*.log' > .gitignore; git add -f .; echo l > kept.log; git add -f kept.log")
	if m := b.merge(tree, "m"); strings.Join(m.Conflicts, " ") != "f.txt" || m.Base != base {
		t.Fatalf("got %+v", m)
	}
	return b, ws, tree, base
}

// wantMerge fails unless the branch's head is a merge of both with the files.
func wantMerge(t *testing.T, tree *Tree, c Commit, ours, theirs, files string) {
	t.Helper()
	git := tree.at.place.git()
	if got := gittest.Git(t, git, "log", "-1", "--format=%P", "longshift/t-1"); got != ours+" "+theirs {
		t.Errorf("parents %s, want %s %s", got, ours, theirs)
	}
	if got := strings.ReplaceAll(gittest.Git(t, git, "ls-tree", "-r", "--name-only", c.ID), "\n", " "); got != files {
		t.Errorf("files %q, want %q", got, files)
	}
}

const all = ".gitignore f.txt kept.log new.txt specs/new.md x.txt"

// TestMergeWithCommitsOfTheAgent: the merge commit has their content. The commits themselves would claim main's work.
func TestMergeWithCommitsOfTheAgent(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, tree *Tree){
		"on top": func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "Settle it", map[string]string{"f.txt": "both\n"})
			asAgent(t, tree, author.Email, "And more", map[string]string{"more.txt": "m\n"})
		},
		"some of it": func(t *testing.T, tree *Tree) {
			gittest.Write(t, tree.Dir(), map[string]string{"f.txt": "both\n", "more.txt": "m\n"})
			agent(t, tree, "add", "f.txt")
			agent(t, tree, "-c", "user.email="+author.Email, "commit", "-qm", "Settle it")
		},
		"its own merge": func(t *testing.T, tree *Tree) {
			agent(t, tree, "reset", "-q", "--hard")
			gittest.Try(tree.Dir(), "merge", "-q", "origin/main")
			asAgent(t, tree, author.Email, "Merge it myself", map[string]string{"f.txt": "both\n", "more.txt": "m\n"})
		},
		"none": func(t *testing.T, tree *Tree) {
			gittest.Write(t, tree.Dir(), map[string]string{"f.txt": "both\n", "more.txt": "m\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, ws, tree, base := waiting(t)
			do(t, tree)
			c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Round 2", Exclude: []string{"specs"}})
			must(t, err)
			wantMerge(t, tree, c, ws.Head, base, ".gitignore f.txt kept.log more.txt new.txt specs/new.md x.txt")
			if got := outgoing(t, tree); !strings.Contains(got, "+both\n") || !strings.Contains(got, "+m\n") || strings.Contains(got, "+new\n") {
				t.Errorf("goes out:\n%s", got)
			}
			if got := agent(t, tree, "status", "--porcelain"); got != "" || agent(t, tree, "rev-parse", "HEAD") != c.ID {
				t.Errorf("the agent sees %q", got)
			}
			// Its next commits are adopted again.
			asAgent(t, tree, author.Email, "feat: next", map[string]string{"next.txt": "n\n"})
			if _, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"}); err != nil || !strings.HasPrefix(subjects(t, tree), "feat: next|Round 2|") {
				t.Errorf("%s, %v", subjects(t, tree), err)
			}
			if _, err := tree.Push(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMergeUndoneByTheAgent: a commit would revert the changes from main.
func TestMergeUndoneByTheAgent(t *testing.T) {
	t.Parallel()
	for _, commands := range []string{"reset -q --hard", "read-tree --reset -u HEAD", "checkout -q -f HEAD"} {
		b, ws, tree, base := waiting(t)
		agent(t, tree, strings.Fields(commands)...)
		_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x", Exclude: []string{"specs"}})
		wantFault(t, err, fault.Work, "merge of main was undone")
		must(t, tree.AbortMerge(t.Context()))
		if m := b.merge(tree, "m"); m.Base != base || len(m.Conflicts) != 1 {
			t.Errorf("again: %+v", m)
		}
		c := b.commit(tree, "1", map[string]string{"f.txt": "both\n"})
		wantMerge(t, tree, c, ws.Head, base, all)
	}
}

func TestMergeTakenBack(t *testing.T) {
	t.Parallel()
	b, ws, tree, base := waiting(t)
	b.commit(tree, "1", map[string]string{"f.txt": "both\n", "secret.txt": "secret\n"})
	b.commit(tree, "2", map[string]string{"more.txt": "m\n"})
	for range 2 {
		must(t, tree.Uncommit(t.Context()))
		if dirty, head, err := tree.Status(t.Context()); !dirty || head != ws.Head || err != nil {
			t.Fatalf("status %v %s %v", dirty, head, err)
		}
	}
	if got := readFile(t, tree.Dir(), "f.txt"); got != "both\n" || !exists(filepath.Join(tree.Dir(), "more.txt")) {
		t.Errorf("the work is gone: %q", got)
	}
	if m := b.merge(tree, "m"); m.Base != base || strings.Join(m.Conflicts, " ") != "f.txt" {
		t.Errorf("got %+v", m)
	}
	must(t, os.Remove(filepath.Join(tree.Dir(), "secret.txt")))
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "3", Message: "x", Exclude: []string{"specs"}})
	must(t, err)
	wantMerge(t, tree, c, ws.Head, base, ".gitignore f.txt kept.log more.txt new.txt specs/new.md x.txt")
	if got := outgoing(t, tree); strings.Contains(got, "secret") {
		t.Errorf("goes out:\n%s", got)
	}
	// A clean merge is undone in the same way.
	must(t, tree.Checkpoint(t.Context()))
	second := onMain(t, b.remote, "echo 2 > second.txt")
	if m := b.merge(tree, "n"); m.Commit == "" {
		t.Fatalf("got %+v", m)
	}
	b.commit(tree, "4", map[string]string{"four.txt": "4\n"})
	must(t, tree.Uncommit(t.Context()))
	if m := b.merge(tree, "n"); m.Base != second || m.Commit != "" || m.UpToDate || len(m.Conflicts) > 0 {
		t.Errorf("got %+v", m)
	}
	four := b.commit(tree, "4", nil)
	wantMerge(t, tree, four, c.ID, second, ".gitignore f.txt four.txt kept.log more.txt new.txt second.txt specs/new.md x.txt")
	if got := outgoing(t, tree); strings.Contains(got, "second.txt") || !strings.Contains(got, "+4\n") {
		t.Errorf("goes out:\n%s", got)
	}
	// Only the commits after the checkpoint are taken back.
	must(t, tree.Checkpoint(t.Context()))
	b.commit(tree, "5", map[string]string{"five.txt": "5\n"})
	must(t, tree.Uncommit(t.Context()))
	if _, head, err := tree.Status(t.Context()); head != four.ID || err != nil {
		t.Errorf("head %s, %v", head, err)
	}
	if m := b.merge(tree, "o"); !m.UpToDate {
		t.Errorf("got %+v", m)
	}
}

func TestFingerprintOfAMerge(t *testing.T) {
	t.Parallel()
	b, ws, tree, base := waiting(t)
	print := func() string {
		t.Helper()
		p, err := tree.Fingerprint(t.Context())
		must(t, err)
		return p
	}
	waits, status := print(), agent(t, tree, "status", "--porcelain")
	for name, change := range map[string]func(){
		"settled":   func() { gittest.Write(t, tree.Dir(), map[string]string{"f.txt": "both\n"}) },
		"new":       func() { gittest.Write(t, tree.Dir(), map[string]string{"stray.txt": "x\n"}) },
		"removed":   func() { must(t, os.Remove(filepath.Join(tree.Dir(), "kept.log"))) },
		"reset":     func() { agent(t, tree, "reset", "-q", "--hard") },
		"committed": func() { asAgent(t, tree, author.Email, "x", nil) },
		"given up":  func() { must(t, tree.AbortMerge(t.Context())) },
		"concluded": func() { b.commit(tree, "c", map[string]string{"f.txt": "both\n"}) },
	} {
		change()
		if print() == waits {
			t.Errorf("%s: same fingerprint", name)
		}
		must(t, tree.Restore(t.Context(), waits))
		if got := agent(t, tree, "status", "--porcelain"); print() != waits || got != status {
			t.Errorf("%s: not restored: %q", name, got)
		}
	}
	must(t, tree.AbortMerge(t.Context()))
	without := print()
	b.merge(tree, "m")
	if print() == without {
		t.Error("a merge does not change the fingerprint")
	}
	must(t, tree.Restore(t.Context(), without))
	if got := agent(t, tree, "status", "--porcelain"); got != "" || print() != without {
		t.Errorf("left of the merge: %q", got)
	}
	must(t, tree.Restore(t.Context(), waits))
	c := b.commit(tree, "1", map[string]string{"f.txt": "both\n"})
	wantMerge(t, tree, c, ws.Head, base, all)
	if err := tree.Restore(t.Context(), waits+" x"); err == nil {
		t.Error("nonsense is restored")
	}
	if err := tree.Restore(t.Context(), without+" nothing"); err == nil {
		t.Error("nonsense is restored")
	}
}

// TestPrepareWithAMergeThatWaits: it goes on here, also when our state is lost; on another host it is begun again.
func TestPrepareWithAMergeThatWaits(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"whole": func(string) error { return nil }, "cut": func(path string) error { return os.Truncate(path, 20) }, "missing": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, before, tree, base := waiting(t)
			status := agent(t, tree, "status", "--porcelain")
			must(t, damage(b.m.place("t-1").state()))
			b.m.Open(t.Context(), "t-1", 2) // puts damaged state aside
			for _, fence := range []int{2, 3} {
				ws, again := b.prepareOn(b.manager(b.m.config.Dir), b.round("t-1", fence))
				if ws.Merging != base || ws.Head != before.Head || ws.BaseCommit != before.BaseCommit {
					t.Fatalf("got %+v", ws)
				}
				if m := b.merge(again, "m"); m.Base != base || strings.Join(m.Conflicts, " ") != "f.txt" || agent(t, again, "status", "--porcelain") != status {
					t.Errorf("got %+v: %s", m, agent(t, again, "status", "--porcelain"))
				}
				tree = again
			}
			_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
			wantFault(t, err, fault.Work, "f.txt")
			if ws, there := b.prepareOn(b.manager(t.TempDir()), b.round("t-1", 4)); ws.Merging != "" || ws.Head != before.Head {
				t.Errorf("on another host: %+v", ws)
			} else if m := b.merge(there, "m"); m.Base != base || len(m.Conflicts) != 1 {
				t.Errorf("on another host: %+v", m)
			} else {
				wantMerge(t, there, b.commit(there, "1", map[string]string{"f.txt": "both\n"}), before.Head, base, all)
				must(t, there.Checkpoint(t.Context()))
			}
			// Back here, the checkpoint has gone on without the merge that waits.
			ws, back := b.prepareOn(b.m, b.round("t-1", 5))
			if ws.Merging != "" || !ws.Restored || readFile(t, ws.Dir, "f.txt") != "both\n" || !strings.Contains(outgoing(t, back), "diff --") {
				t.Errorf("back: %+v", ws)
			}
			if dirty, _, err := back.Status(t.Context()); dirty || err != nil || strings.Contains(outgoing(t, back), "+new") {
				t.Errorf("dirty %v, %v:\n%s", dirty, err, outgoing(t, back))
			}
		})
	}
}

// TestSecretInAMergeOfTheAgents: no kind of merge hides a change from the outgoing patches.
func TestSecretInAMergeOfTheAgents(t *testing.T) {
	t.Parallel()
	b, _, tree, _ := waiting(t)
	b.commit(tree, "1", map[string]string{"f.txt": "both\n"})
	script := `set -e
		export GIT_AUTHOR_EMAIL=$1 GIT_COMMITTER_EMAIL=$1
		head=$(git rev-parse HEAD)
		for side in a b c; do git checkout -q $head; echo $side > $side-$2; git add .; git commit -qm $side; git branch $side; done
		git checkout -q $head; git read-tree -m -u a; echo secret-$2 > secret-$2; git add .
		if [ $2 = two ]; then parents="-p a -p b"; elif [ $2 = main ]; then parents="-p a -p origin/main"; else parents="-p a -p b -p c"; fi
		git update-ref HEAD $(git commit-tree $parents -m merge $(git write-tree)); git branch -D -q a b c`
	for _, kind := range []string{"two", "three", "main"} {
		gittest.Sh(t, tree.Dir(), script, author.Email, kind)
		agent(t, tree, "checkout", "-q", "-f", "--detach")
		if _, err := tree.Commit(t.Context(), CommitSpec{Key: kind, Message: "x"}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(subjects(t, tree), "merge|") {
			t.Errorf("%s was not taken: %s", kind, subjects(t, tree))
		}
		if got := outgoing(t, tree); !strings.Contains(got, "+secret-"+kind+"\n") {
			t.Errorf("%s: goes out\n%s", kind, got)
		}
	}
}
