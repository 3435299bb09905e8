package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// What can't be watched is refused in one line, before anybody is asked.
func TestWatchRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q", "--bare", "bare.git"}, {"init", "-q", "tree"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.Symlink(dir, filepath.Join(dir, "tree", "link")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		in   string
		args []string
		code int
		says string
	}{
		"json":         {"tree", []string{"-o", "json"}, fault.ExitUsage, "give jsonl"},
		"bare":         {"bare.git", nil, fault.ExitUsage, "is a bare repository: it has no files to read"},
		"a forge's":    {"tree", []string{"--repo", "acme/web"}, fault.ExitUsage, "give its path"},
		"no git":       {".", nil, fault.ExitUsage, "is not in a git repository"},
		"outside":      {"tree", []string{"--path", "../x"}, fault.ExitUsage, "is not a path below the repository"},
		"a link":       {"tree", []string{"--path", "link"}, fault.ExitFailed, "symbolic link"},
		"base":         {"tree", []string{"--base", "a..b"}, fault.ExitUsage, "--base"},
		"quiet time":   {"tree", []string{"--quiet-time", "-1s"}, fault.ExitUsage, "--quiet-time -1s"},
		"an argument":  {"tree", []string{"x"}, fault.ExitUsage, "x"},
		"wrong config": {"tree", []string{"-c", "nothing=1"}, fault.ExitUsage, "unknown key"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newConsole(t)
			b.Dir = filepath.Join(dir, c.in)
			if code := b.run(append([]string{"watch"}, c.args...)...); code != c.code || !strings.Contains(b.Errs.String(), c.says) {
				t.Errorf("exit code %d: %s", code, b.Errs.String())
			}
			if out := b.Errs.String(); strings.Count(out, "\n") != 1 || b.Out.String() != "" {
				t.Errorf("more than a line: %q%q", out, b.Out.String())
			}
		})
	}
}
