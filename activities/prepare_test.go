package activities

import (
	"strings"
	"testing"

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

// A submodule that can't be fetched is named, in the same words by the workspace and by each commit.
func TestSubmodulesThatCantBeHadAreNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	part := gittest.NewCheckout(t, map[string]string{"calc.go": "package calc\n"})
	b.remote = gittest.NewCheckout(t, map[string]string{"README.md": "Parent\n"})
	gittest.Sh(t, b.remote, `set -e; git -c protocol.file.allow=always submodule --quiet add "$1" part; git config -f .gitmodules submodule.part.url ../gone.git
		git commit --quiet --all --message 'Add a part'; git submodule --quiet deinit --force part`, part)
	b.prepare()
	want := "submodules that could not be filled, so that their folders are empty: part ("
	if len(b.made.Notes) != 1 || !strings.HasPrefix(b.made.Notes[0], want) || !strings.HasSuffix(b.made.Notes[0], "/gone.git is not there)") {
		t.Errorf("notes %q", b.made.Notes)
	}
	out, err := b.CommitWork(t.Context(), CommitInput{Ref: b.ref, Session: 1, Message: "Work", BaseCommit: b.made.BaseCommit})
	must(t, err)
	if len(out.Notes) != 1 || out.Notes[0] != b.made.Notes[0] {
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
