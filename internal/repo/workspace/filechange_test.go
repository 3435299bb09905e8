package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// changed lists the task's changes as "modes, old path, path, content before and now".
func changed(t *testing.T, tree *Tree) (list []string) {
	t.Helper()
	must(t, tree.Diffs.Files(t.Context(), func(c FileChange) error {
		list = append(list, fmt.Sprintf("%s>%s %s>%s %.12q>%.12q", c.OldMode, c.NewMode, c.OldPath, c.Path, c.Old, c.New))
		if c.Cut != (max(len(c.Old), len(c.New)) == mostLooked) {
			t.Errorf("%s: cut %t with %d and %d bytes", c.Path, c.Cut, len(c.Old), len(c.New))
		}
		return nil
	}))
	slices.Sort(list)
	return list
}

func TestChanges(t *testing.T) {
	t.Parallel()
	remote := gittest.NewBare(t, map[string]string{"gone.txt": "gone\n", "moved.txt": strings.Repeat("moved\n", 20), "run.sh": "exit\n", "kept.txt": "kept\n"})
	b := newBench(t, remote)
	_, tree := b.prepare("t-1", 1)
	if list := changed(t, tree); list != nil {
		t.Errorf("before anything: %q", list)
	}
	dir := tree.Dir()
	for _, err := range []error{
		os.Remove(filepath.Join(dir, "gone.txt")), os.Rename(filepath.Join(dir, "moved.txt"), filepath.Join(dir, "to.txt")),
		os.Chmod(filepath.Join(dir, "run.sh"), 0o755), os.Symlink("/etc/passwd", filepath.Join(dir, "link")),
	} {
		must(t, err)
	}
	b.commit(tree, "1", map[string]string{"a b\u202e.txt": "odd\n", "long.txt": strings.Repeat("long\n", mostLooked/4), ".gitattributes": "* binary -diff\n"})
	want := []string{
		`>100644 .gitattributes>.gitattributes "">"* binary -di"`, ">100644 a b\u202e.txt>a b\u202e.txt \"\">\"odd\\n\"",
		`>100644 long.txt>long.txt "">"long\nlong\nlo"`, `>120000 link>link "">"/etc/passwd"`, `100644> gone.txt>gone.txt "gone\n">""`,
		`100644>100644 moved.txt>to.txt "moved\nmoved\n">"moved\nmoved\n"`, `100644>100755 run.sh>run.sh "exit\n">"exit\n"`,
	}
	slices.Sort(want)
	if list := changed(t, tree); !slices.Equal(list, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
	stop := errors.New("enough")
	if err := tree.Diffs.Files(t.Context(), func(FileChange) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	gittest.Write(t, dir, map[string]string{"to.txt": "", "later.txt": "not committed\n"})
	if list := changed(t, tree); !slices.Equal(list, want) {
		t.Errorf("what is not committed counts: %q", list)
	}
}

// In a round only what the round has changed counts: what the branch had before is on the remote, and so is what came in from the base.
func TestChangesOfARound(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"before.txt": "before\n"})
	_, tree := b.prepareOn(b.m, b.round("t-1", 2))
	onMain(t, bare, "echo theirs > theirs.txt")
	if m := b.merge(tree, "m"); m.Commit == "" {
		t.Fatalf("merged %+v", m)
	}
	if list := changed(t, tree); list != nil {
		t.Errorf("after the merge alone: %q", list)
	}
	b.commit(tree, "1", map[string]string{"mine.txt": "mine\n"})
	if list := changed(t, tree); !slices.Equal(list, []string{`>100644 mine.txt>mine.txt "">"mine\n"`}) {
		t.Errorf("got %q", list)
	}
}
