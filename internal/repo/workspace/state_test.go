package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func TestState(t *testing.T) {
	t.Parallel()
	s := &state{TaskID: "t-1", Format: "sha1", Repository: task.Repository{Text: "a/b"}, Record: record{Branch: "longshift/t-1"}, at: place{t.TempDir()}}
	if s.home().Text != "a/b" || !s.empty() || s.branchRef() != "refs/heads/longshift/t-1" || s.under("") != s.emptyTree() || s.under("c") != "c" {
		t.Errorf("got %+v", s)
	}
	s.addMerged("m")
	s.addMerged("m")
	if len(s.Record.Merged) != 1 || !s.isMerge([]string{"a", "m"}) || s.isMerge([]string{"m", "a"}) || s.isMerge([]string{"m"}) {
		t.Errorf("merged %v", s.Record.Merged)
	}
	s.Fork, s.Merging, s.Record.Base = &task.Repository{Text: "c/b"}, &merging{Tree: "tree"}, "base"
	if s.home().Text != "c/b" || s.empty() || s.under("c") != "tree" {
		t.Errorf("got %+v", s)
	}
	must(t, s.save())
	again, err := s.at.readState()
	must(t, err)
	if again.Merging == nil || again.Merging.Tree != "tree" || again.home().Text != "c/b" {
		t.Errorf("read back %+v", again)
	}
	data, err := os.ReadFile(s.at.state())
	must(t, err)
	if strings.Contains(string(data), filepath.Base(s.at.dir)) {
		t.Errorf("the state says where it lies: %s", data)
	}
}

// TestBranch moves the branch, also away from its first commit.
func TestBranch(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	ws, tree := b.prepare("t-1", 1)
	one := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	must(t, tree.at.locked(t.Context(), func(o *opened) error {
		for _, to := range []string{ws.BaseCommit, "", one.ID, one.ID} {
			must(t, o.branch.move(t.Context(), to))
			if head, err := o.branch.head(t.Context()); err != nil || head != to {
				t.Errorf("the branch is at %q, want %q: %v", head, to, err)
			}
		}
		none, err := o.branch.treeOf(t.Context(), "")
		if some, failed := o.branch.treeOf(t.Context(), one.ID); err != nil || failed != nil || none != o.state.emptyTree() || !isID(some) || some == none {
			t.Errorf("trees %q, %q: %v, %v", none, some, err, failed)
		}
		return nil
	}))
}
