package activities

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A pattern matches what the shell would match: through links too, and no pipe blocks it.
func TestExpandMatchesAsTheShellDoes(t *testing.T) {
	t.Parallel()
	root := expanded(t)
	dir := root.Name()
	must(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a/b/x.sh"), nil, 0o644))
	must(t, os.Symlink("a", filepath.Join(dir, "link")))
	must(t, os.Symlink("/etc", filepath.Join(dir, "out")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for pattern, want := range map[string][]string{
		"*/b/*.sh":  {"a/b/x.sh", "link/b/x.sh"},
		"a/[b]/?.*": {"a/b/x.sh"},
		"out/*":     nil,
		"pipe/*":    nil,
		"a/[":       nil,
		"a/b/x.sh":  nil, // no pattern
	} {
		want = append(want, pattern)
		slices.Sort(want)
		got, ok := expand(t.Context(), root, dir, []string{filepath.Join(dir, pattern)})
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], dir+"/")
		}
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", pattern, got, ok, want)
		}
	}
}

// Links to the folder that they lie in make the paths grow by a power with each part. The call is refused, as no approval covers it.
func TestExpandGivesUp(t *testing.T) {
	t.Parallel()
	root := expanded(t)
	for i := range 60 {
		must(t, os.Symlink(".", filepath.Join(root.Name(), fmt.Sprintf("l%d", i))))
	}
	short, long := filepath.Join(root.Name(), "*"), filepath.Join(root.Name(), "*/*/*/*")
	if got, ok := expand(t.Context(), root, root.Name(), []string{long}); ok || len(got) > mostExpanded+1 {
		t.Errorf("%d paths, %v", len(got), ok)
	}
	if got, ok := expand(t.Context(), root, root.Name(), []string{short}); !ok || len(got) != 61 {
		t.Errorf("%d paths, %v", len(got), ok)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, ok := expand(ended, root, root.Name(), []string{short}); ok {
		t.Error("it goes on after the end of the context")
	}
}

func expanded(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	t.Cleanup(func() { root.Close() })
	return root
}
