package activities

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workspace/gittest"
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
