package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

func writtenAt(t *testing.T, parts ...string) time.Time {
	t.Helper()
	info, err := os.Stat(filepath.Join(parts...))
	must(t, err)
	return info.ModTime()
}

// Git misses a change of the checkout's own second in an index that has a later time than the one it wrote.
func TestCopiesOfAnIndexKeepItsTime(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"README.md": "one\n", ".gitignore": "*.log\n"}))
	_, tree := b.prepare("t-1", 1)
	dir := tree.at.place.git()
	same := func(step string) {
		t.Helper()
		if got, want := writtenAt(t, tree.Dir(), ".git/index"), writtenAt(t, dir, "index"); !got.Equal(want) {
			t.Errorf("%s: the agent's index is of %s, ours of %s", step, got, want)
		}
	}
	same("prepared")
	long := time.Unix(1_700_000_000, 123)
	must(t, os.Chtimes(filepath.Join(dir, "index"), long, long))
	copied, err := copyIndex(dir)
	must(t, err)
	if got := writtenAt(t, copied); !got.Equal(long) {
		t.Errorf("the copy is of %s", got)
	}
	gittest.Write(t, tree.Dir(), map[string]string{"forced.log": "x\n"})
	agent(t, tree, "add", "-f", "forced.log")
	print, err := tree.Fingerprint(t.Context())
	must(t, err)
	must(t, tree.Restore(t.Context(), print))
	same("with a file that the agent has added though it is ignored")
}
