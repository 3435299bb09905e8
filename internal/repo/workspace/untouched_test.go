package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// Files that were committed with other line endings than .gitattributes asks for are in no commit until somebody changes them.
func TestLineEndingsOfUntouchedFilesStay(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"a.txt": "one\r\ntwo\r\n", "b.txt": "one\r\n", "c.bat": "one\r\n", "run.txt": "x\r\n"})
	gittest.Commit(t, bare, "main", "Ask for line endings", map[string]string{".gitattributes": "*.txt text\n*.bat text eol=crlf\n"})
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	touch := func() { // git compares the content then
		for _, name := range []string{"a.txt", "b.txt", "c.bat", "run.txt"} {
			must(t, os.Chtimes(filepath.Join(tree.Dir(), name), time.Time{}, time.Unix(1, 0)))
		}
	}
	touch()
	if said := gittest.Git(t, tree.at.place.git(), "--work-tree="+tree.Dir(), "status", "--porcelain"); !strings.Contains(said, "a.txt") {
		t.Fatalf("git shows nothing as changed: %q", said)
	}
	if dirty, _, err := tree.Status(t.Context()); err != nil || dirty {
		t.Errorf("an untouched workspace is changed: %v, %v", dirty, err)
	}
	must(t, tree.BeforeCommand(t.Context(), "check-01", true))
	must(t, tree.AfterCommand(t.Context(), "check-01", true))
	none, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "nothing"})
	must(t, err)
	if none.Created || len(none.LeftOut) > 0 {
		t.Errorf("nothing was changed, and the commit is %+v", none)
	}

	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "one\r\nthree\r\n", "new.txt": "new\n"})
	must(t, os.Chmod(filepath.Join(tree.Dir(), "run.txt"), 0o755))
	touch()
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "work"})
	must(t, err)
	got := strings.Fields(gittest.Git(t, tree.at.place.git(), "show", "--name-only", "--format=", c.ID))
	if want := []string{"a.txt", "new.txt", "run.txt"}; !slices.Equal(got, want) {
		t.Errorf("the commit has %q, want %q", got, want)
	}

	pipe := filepath.Join(tree.Dir(), "b.txt")
	must(t, os.Remove(pipe))
	must(t, syscall.Mkfifo(pipe, 0o600))
	if _, _, err := tree.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "b.txt") { // it ends, as nobody writes into the pipe
		t.Errorf("with a named pipe in place of a file: %v", err)
	}
}
