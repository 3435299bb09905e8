package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// tear puts refs of the remote back to what they were, as a git leaves them that was killed when it had moved the fence and not yet these.
func tear(t *testing.T, bare string, before map[string]string, refs ...string) {
	t.Helper()
	for _, ref := range refs {
		if before[ref] == "" {
			gittest.Git(t, bare, "update-ref", "-d", ref)
		} else {
			gittest.Git(t, bare, "update-ref", ref, before[ref])
		}
	}
}

const tornCheckpoint = "refs/longshift/t-1"

// TestTornCheckpointIsPushedAgain: the fence has moved, the checkpoint has not, and the workspace that did it goes on.
func TestTornCheckpointIsPushedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ forgotten, more bool }{"tried again": {true, false}, "after another commit": {true, true},
		"nobody has noticed": {false, true}} {
		t.Run(name, func(t *testing.T) {
			bare := gittest.NewBare(t, start)
			b := newBench(t, bare)
			_, tree := b.prepare("t-1", 1)
			b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			must(t, tree.Checkpoint(t.Context()))
			state, before := readFile(t, tree.at.place.dir, "workspace.json"), gittest.Refs(t, bare)
			two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
			must(t, tree.Checkpoint(t.Context()))
			tear(t, bare, before, tornCheckpoint)
			if c.forgotten { // the worker was killed, too
				gittest.Write(t, tree.at.place.dir, map[string]string{"workspace.json": state})
			}
			if c.more {
				two = b.commit(tree, "3", map[string]string{"c.txt": "c\n"})
			}
			must(t, tree.Checkpoint(t.Context()))
			if gittest.Ref(t, bare, tornCheckpoint) != two.ID {
				t.Errorf("the checkpoint is behind: %v", gittest.Refs(t, bare))
			}
		})
	}
}

// TestTornCheckpointIsRestored: the same, but the host is lost and another one gets the task.
func TestTornCheckpointIsRestored(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	ws, tree := b.prepare("t-1", 1)
	before := gittest.Refs(t, bare)
	one := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	must(t, tree.Checkpoint(t.Context()))
	tear(t, bare, before, tornCheckpoint) // there was none
	spec := b.spec("t-1", 2)
	spec.Reported = []string{ws.Head}
	ws, tree = b.prepareOn(b.manager(t.TempDir()), spec)
	if ws.Head != one.ID || !ws.Restored || ws.Behind || gittest.Ref(t, bare, tornCheckpoint) != one.ID {
		t.Fatalf("restored %+v, want %s; refs %v", ws, one.ID, gittest.Refs(t, bare))
	}
	before = gittest.Refs(t, bare)
	two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	must(t, tree.Checkpoint(t.Context()))
	tear(t, bare, before, tornCheckpoint)
	spec.Fence = 3
	if ws, _ = b.prepareOn(b.manager(t.TempDir()), spec); ws.Head != two.ID || gittest.Ref(t, bare, tornCheckpoint) != two.ID {
		t.Errorf("restored %+v, want %s", ws, two.ID)
	}
}

// TestTornPush: only some refs of a push have moved.
func TestTornPush(t *testing.T) {
	t.Parallel()
	const fence, branch = "refs/longshift-fence/t-1", "refs/heads/longshift/t-1"
	for name, torn := range map[string][]string{"branch": {branch}, "fence": {fence}} {
		t.Run(name, func(t *testing.T) {
			bare := gittest.NewBare(t, start)
			gittest.Commit(t, bare, "longshift/t-1", "Pushed by an earlier round", map[string]string{"old.txt": "x"})
			b := newBench(t, bare)
			spec := b.spec("t-1", 1)
			spec.Base, spec.Continue = "main", true // a round, which minds commits that were taken away
			ws, tree := b.prepareOn(b.m, spec)
			b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			must(t, tree.Checkpoint(t.Context()))
			state, before := readFile(t, tree.at.place.dir, "workspace.json"), gittest.Refs(t, bare)
			if _, err := tree.Push(t.Context()); err != nil {
				t.Fatal(err)
			}
			tear(t, bare, before, torn...)
			gittest.Write(t, tree.at.place.dir, map[string]string{"workspace.json": state})
			two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
			must(t, tree.Checkpoint(t.Context()))
			spec.Fence, spec.Reported = 2, []string{ws.Head, two.ID}
			_, tree = b.prepareOn(b.manager(t.TempDir()), spec)
			if head, err := tree.Push(t.Context()); err != nil || head != two.ID || gittest.Ref(t, bare, branch) != two.ID {
				t.Errorf("pushed %s, want %s: %v", head, two.ID, err)
			}
		})
	}
}

// TestRestoredHeadIsComparedWithTheReported: a remote that has lost its last writes as a whole, and one that somebody has written to.
func TestRestoredHeadIsComparedWithTheReported(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	ws, tree := b.prepare("t-1", 1)
	one := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	gittest.Git(t, bare, "update-ref", tornCheckpoint, "refs/heads/main")
	if err := tree.Checkpoint(t.Context()); fault.KindOf(err) != fault.Changed || !strings.Contains(fault.HintOf(err), "remove "+tornCheckpoint+",") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	gittest.Git(t, bare, "update-ref", "-d", tornCheckpoint)
	must(t, tree.Checkpoint(t.Context()))
	before := gittest.Refs(t, bare)
	two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	must(t, tree.Checkpoint(t.Context()))
	must(t, tree.Holds(t.Context(), one.ID))

	theirs := gittest.Commit(t, bare, "mine", "Mine", map[string]string{"mine.txt": "x"})
	after := gittest.Refs(t, bare)
	for what, there := range map[string]string{"moved to " + theirs[:10]: theirs, "removed": ""} {
		tear(t, bare, map[string]string{tornCheckpoint: there}, tornCheckpoint)
		_, err := b.manager(t.TempDir()).Prepare(t.Context(), b.spec("t-1", 2))
		wantFault(t, err, fault.Changed, what+" by somebody else")
		if !strings.Contains(fault.HintOf(err), two.ID) {
			t.Errorf("no way out: %s", fault.HintOf(err))
		}
	}
	gittest.Git(t, bare, "update-ref", tornCheckpoint, theirs)
	gittest.Git(t, bare, "update-ref", "-d", "refs/longshift-fence/t-1") // what the fence knew is gone, too
	spec := b.spec("t-1", 2)
	spec.Reported = []string{ws.BaseCommit, one.ID, two.ID}
	there := gittest.Refs(t, bare)
	other := b.manager(t.TempDir())
	for range 2 {
		_, err := other.Prepare(t.Context(), spec)
		wantFault(t, err, fault.Changed, two.ID[:10], theirs[:10], "somebody else pushed it")
	}
	if now := gittest.Refs(t, bare); len(now) != len(there) || now[tornCheckpoint] != theirs {
		t.Errorf("refs %v, before %v", now, there)
	}
	tear(t, bare, after, tornCheckpoint, "refs/longshift-fence/t-1") // done as the hint says
	if ws, err := other.Prepare(t.Context(), spec); err != nil || ws.Head != two.ID || ws.Behind {
		t.Errorf("%+v, %v", ws, err)
	}

	tear(t, bare, before, tornCheckpoint, "refs/longshift-fence/t-1")
	third := b.manager(t.TempDir())
	for range 2 {
		ws, tree = b.prepareOn(third, spec)
		if ws.Head != one.ID || !ws.Behind {
			t.Errorf("restored %+v, want %s", ws, one.ID)
		}
	}
	wantFault(t, tree.Holds(t.Context(), two.ID), fault.Changed, two.ID[:10], "that was reviewed")
}

// TestSquashedHeadHoldsWhatWasReported: the reported commit is in no history any more, on this host and on the next.
func TestSquashedHeadHoldsWhatWasReported(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	ws, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	must(t, tree.Checkpoint(t.Context()))
	one, err := tree.Squash(t.Context(), "", "All")
	must(t, err)
	must(t, tree.Holds(t.Context(), two.ID))
	must(t, tree.Checkpoint(t.Context()))
	spec := b.spec("t-1", 2)
	spec.Reported = []string{ws.BaseCommit, two.ID}
	ws, tree = b.prepareOn(b.manager(t.TempDir()), spec)
	if ws.Head != one.ID || ws.Behind {
		t.Errorf("restored %+v", ws)
	}
	must(t, tree.Holds(t.Context(), two.ID))
}

// TestStandingWorkspaceFollowsNobodyElse: the same on a host that has a workspace of the task, which would follow the remote.
func TestStandingWorkspaceFollowsNobodyElse(t *testing.T) {
	t.Parallel()
	for name, round := range map[string]bool{"checkpoint": false, "branch of a round": true} {
		t.Run(name, func(t *testing.T) {
			bare := gittest.NewBare(t, start)
			gittest.Commit(t, bare, "longshift/t-1", "Pushed by an earlier round", map[string]string{"old.txt": "x"})
			b := newBench(t, bare)
			spec := b.spec("t-1", 1)
			spec.Base, spec.Continue = "main", round
			ws, tree := b.prepareOn(b.m, spec)
			one := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			must(t, tree.Checkpoint(t.Context()))
			gittest.Git(t, bare, "update-ref", "-d", "refs/longshift-fence/t-1")
			gittest.Git(t, bare, "update-ref", "-d", tornCheckpoint)
			theirs := gittest.Commit(t, bare, "longshift/t-1", "Mine", map[string]string{"mine.txt": "x"})
			if !round {
				gittest.Git(t, bare, "update-ref", tornCheckpoint, theirs)
			}
			spec.Fence, spec.Reported = 2, []string{ws.BaseCommit, one.ID}
			_, err := b.m.Prepare(t.Context(), spec)
			wantFault(t, err, fault.Changed, one.ID[:10], theirs[:10])
			if head := gittest.Ref(t, tree.at.place.git(), "refs/heads/longshift/t-1"); head != one.ID {
				t.Errorf("the workspace was moved to %s", head)
			}
		})
	}
}

// TestBranchMovesAfterItsCheckpoint: never in one push, so that a branch which has moved alone holds what the fence knows.
func TestBranchMovesAfterItsCheckpoint(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	gittest.Write(t, bare, map[string]string{"hooks/reference-transaction": "#!/bin/sh\n[ $1 != committed ] || { cut -d' ' -f3 | sort | tr '\\n' ' '; echo; } >> moved\n"})
	must(t, os.Chmod(bare+"/hooks/reference-transaction", 0o755))
	if _, err := tree.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, bare, "moved"), "refs/longshift-fence/t-1 refs/longshift/t-1 \nrefs/heads/longshift/t-1 refs/longshift-fence/t-1 \n"; got != want {
		t.Errorf("moved %q, want %q", got, want)
	}
}

// TestKilledGitIsNoAnswer: a git that is killed while it looks for a commit has not said that the commit is missing.
func TestKilledGitIsNoAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	one := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	whole, program := b.m.runner.git.Program, filepath.Join(t.TempDir(), "git")
	gittest.Program(t, program, "#!/bin/sh\n[ \"$1 $2\" != 'cat-file -e' ] || kill -9 $$\nexec "+whole+" \"$@\"\n")
	b.m.runner.git.Program = program
	if err := tree.Holds(t.Context(), one.ID); !git.Killed(err) {
		t.Errorf("Holds says %v", err)
	}
	spec := b.spec("t-1", 1)
	spec.Reported = []string{one.ID}
	if ws, err := b.m.Prepare(t.Context(), spec); !git.Killed(err) {
		t.Errorf("Prepare says %+v, %v", ws, err)
	}
	b.m.runner.git.Program = whole
	must(t, tree.Holds(t.Context(), one.ID))
	wantFault(t, tree.Holds(t.Context(), strings.Repeat("1", 40)), fault.Changed)
}

// TestCommitsAreOnTheDisk: what is reported as committed and as pushed is not lost with the machine's memory, here and in a repository on
// this machine. Git itself says what it has flushed.
func TestCommitsAreOnTheDisk(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	told := t.TempDir()
	program := filepath.Join(t.TempDir(), "git")
	gittest.Program(t, program, "#!/bin/sh\nGIT_TRACE2_EVENT="+told+" exec "+b.m.runner.git.Program+" \"$@\"\n")
	b.m.runner.git.Program = program
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	_, err := tree.Push(t.Context())
	must(t, err)
	flushed := map[string]bool{}
	runs, err := filepath.Glob(filepath.Join(told, "*"))
	must(t, err)
	for _, run := range runs {
		text := readFile(t, run)
		_, name, _ := strings.Cut(text, `"event":"cmd_name"`)
		_, name, _ = strings.Cut(name, `"name":"`)
		name, _, _ = strings.Cut(name, `"`)
		flushed[name] = flushed[name] || strings.Contains(text, `"category":"fsync"`)
	}
	for _, name := range []string{"update-index", "commit", "hash-object", "unpack-objects", "receive-pack"} {
		if done, run := flushed[name]; !done {
			t.Errorf("git %s has flushed nothing; it was run: %v", name, run)
		}
	}
}
