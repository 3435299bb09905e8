package workspace

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// What an agent has left in a stash or on another branch is in no commit, and is named until a commit with other work has named it.
func TestWorkLaidAside(t *testing.T) {
	t.Parallel()
	const stay = "b=$(git branch --show-current); "
	for name, c := range map[string]struct {
		script, apart string
		created       bool
	}{
		"stash":                 {script: "echo a >a.txt; git add a.txt; git stash -q", apart: "a stash"},
		"popped stash":          {script: "echo a >a.txt; git add a.txt; git stash -q; git stash pop -q", created: true},
		"branch":                {script: stay + "git checkout -qb my-fix; echo a >a.txt; git add a.txt; git commit -qm a; git checkout -q $b", apart: "branch my-fix"},
		"packed branch":         {script: stay + "git checkout -qb fix/it; echo a >a.txt; git add a.txt; git commit -qm a; git checkout -q $b; git pack-refs --all", apart: "branch fix/it"},
		"branch without work":   {script: "git branch spare"},
		"branch that is HEAD":   {script: "git checkout -qb my-fix; echo a >a.txt; git add a.txt; git commit -qm a", created: true},
		"merged branch":         {script: stay + "git checkout -qb my-fix; echo a >a.txt; git add a.txt; git commit -qm a; git checkout -q $b; git merge -q --no-ff -m m my-fix", created: true},
		"some of it in a stash": {script: "echo a >a.txt; echo b >b.txt; git add b.txt; git stash -q; [ -e a.txt ]", apart: "a stash", created: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, gittest.NewBare(t, start))
			_, tree := b.prepare("t-1", 1)
			byAgent(t, tree, c.script)
			got, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
			if err != nil || got.Created != c.created || strings.Join(got.Apart, ", ") != c.apart || strings.Join(got.LeftOut, ", ") != c.apart {
				t.Errorf("got %+v, %v", got, err)
			}
			again, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"})
			if want := map[bool]string{false: c.apart}[c.created]; err != nil || strings.Join(again.Apart, ", ") != want {
				t.Errorf("the next commit: %+v, %v", again, err)
			}
		})
	}
}
