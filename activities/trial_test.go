package activities

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A tool that fails without a word has been found: it is not one that tasks can't see.
func TestToolsSeen(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, name := range []string{"java", "deno"} {
		must(t, os.WriteFile(filepath.Join(bin, name), nil, 0o700))
	}
	seen := toolsSeen("java 124 \ngo 0 go1.26.8\ncc 1 cc: not found\nwarning\n")
	want := []Tool{{"go", true, "go1.26.8"}, {"cc", false, "cc: not found"}, {"java", false, "says nothing (exit 124)"}}
	if got := seen.tools(); !slices.Equal(got, want) {
		t.Errorf("seen %+v, want %+v", got, want)
	}
	want = []Tool{{"deno", false, "tasks can't see " + filepath.Join(bin, "deno")}}
	if got := seen.lacking([]string{"PATH=" + bin}); !slices.Equal(got, want) {
		t.Errorf("lacking %+v, want %+v", got, want)
	}
}
