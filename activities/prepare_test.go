package activities

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func TestBranchPrefixOfTheRepository(t *testing.T) {
	b := newBench(t, nil)
	b.remote = gittest.NewBare(t, map[string]string{"README.md": "Calc\n", ".longshift.yaml": "branch: bots/\n"})
	b.prepare()
	if !strings.HasPrefix(b.made.Branch, "bots/fix-the-sum-") {
		t.Errorf("the branch is %s", b.made.Branch)
	}
	first := b.made.Branch
	b.prepare() // as a retry would
	if b.made.Branch != first {
		t.Errorf("a second call changed the branch to %s", b.made.Branch)
	}
	mine := "mine/"
	out, err := b.PrepareWorkspace(t.Context(), PrepareInput{Ref: Ref{TaskID: b.ref.TaskID + "-2", Fence: 1}, Title: "Fix the sum",
		Repository: task.Repository{Text: b.remote, Path: b.remote}, Config: &task.Config{Branch: &mine}})
	must(t, err)
	if !strings.HasPrefix(out.Branch, "mine/") {
		t.Errorf("the task's own prefix gave %s", out.Branch)
	}
}

// A branch that could not be pushed is refused before there is work, by the name that the repository's settings have given it.
func TestNoRoomForTheBranch(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.remote = gittest.NewBare(t, map[string]string{"README.md": "Calc\n", ".longshift.yaml": "branch: bots/\n"})
	gittest.Git(t, b.remote, "branch", "longshift", "main")
	b.prepare()
	must(t, b.attempt().run(b.CleanUp, CleanInput{b.ref}, nil))
	gittest.Git(t, b.remote, "branch", "bots", "main")
	in := PrepareInput{Ref: b.ref, Repository: task.Repository{Text: b.remote, Path: b.remote}, Title: "Fix the sum"}
	_, err := b.PrepareWorkspace(t.Context(), in)
	wantFault(t, err, fault.Input, `branch "bots/"`, "refs/heads/bots of "+b.remote)
	if left := gittest.Git(t, b.remote, "for-each-ref", "refs/longshift", "refs/longshift-fence"); left != "" {
		t.Errorf("left behind: %s", left)
	}
	in.Branch = b.made.Branch
	_, err = b.PrepareWorkspace(t.Context(), in)
	must(t, err) // a task with work goes on, for the branch in the way may be gone when its own is pushed
}

// A submodule that can't be fetched, or lacks what Git LFS keeps, is named, in the same words by the workspace and by each commit.
func TestSubmodulesThatCantBeHadAreNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	part := gittest.NewCheckout(t, map[string]string{"calc.go": "package calc\n"})
	media := gittest.NewCheckout(t, map[string]string{".gitattributes": "*.psd filter=lfs -text\n", "cover.psd": gittest.Pointer("a cover\n")})
	b.remote = gittest.NewCheckout(t, map[string]string{"README.md": "Parent\n"})
	gittest.Sh(t, b.remote, `set -e; git -c protocol.file.allow=always submodule --quiet add "$1" part; git config -f .gitmodules submodule.part.url ../gone.git
		git -c protocol.file.allow=always submodule --quiet add "$2" media
		git commit --quiet --all --message 'Add parts'; git submodule --quiet deinit --force part`, part, media)
	b.prepare()
	want := "submodules that could not be filled, so that their folders are empty: part ("
	if n := b.made.Notes; len(n) != 2 || !strings.HasPrefix(n[0], want) || !strings.HasSuffix(n[0], "/gone.git is not there)") ||
		n[1] != "submodules whose files of Git LFS are only pointers: media" {
		t.Errorf("notes %q", n)
	}
	out, err := b.CommitWork(t.Context(), CommitInput{Ref: b.ref, Session: 1, Message: "Work", BaseCommit: b.made.BaseCommit})
	must(t, err)
	if !slices.Equal(out.Notes, b.made.Notes) {
		t.Errorf("notes %q", out.Notes)
	}
}

// A branch is named after the first line of a task that has several.
func TestBranchName(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Fix the tests": "fix-the-tests-89abcdef", "\nFix the tests\n\n# Earlier task\nAdd tests": "fix-the-tests-89abcdef",
		"": "89abcdef", "修正\nmore": "89abcdef",
	} {
		if got := branchName(title, "web-0123456789abcdef"); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
