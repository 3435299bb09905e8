package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
)

func TestMain(m *testing.M) {
	os.Unsetenv("LONGSHIFT_PLAIN") // here the race detector looks at guards and inits, too
	if part := os.Getenv("SANDBOX_TEST_PART"); part != "" {
		playPart(part)
		os.Exit(0)
	}
	os.Exit(testAll(m))
}

// testAll gives the tests their own temporary folder, to detect leftovers.
func testAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Setenv("TMPDIR", dir)
	return m.Run()
}

// elsewhere creates a folder outside of those that a box has for itself.
func elsewhere(t testing.TB) string {
	t.Helper()
	here, _ := os.Getwd()
	cache, _ := os.UserCacheDir()
	for _, dir := range []string{here, cache, "/opt", "/srv", "/mnt"} {
		private := dir == "" || slices.ContainsFunc(privates(), func(p string) bool { return strings.HasPrefix(dir+"/", p+"/") })
		if private || os.MkdirAll(dir, 0o755) != nil {
			continue
		}
		if made, err := os.MkdirTemp(dir, "box-"); err == nil {
			t.Cleanup(func() { os.RemoveAll(made) })
			return realPath(t, made)
		}
	}
	t.Fatal("there is no folder outside of /tmp that can be written")
	return ""
}

// playPart runs this binary in another role than testing.
func playPart(part string) {
	switch part {
	case "attack":
		attackMain()
	case "worker":
		workerMain()
	case "replaced":
		replacedMain()
	case "reserve":
		reserveMain()
	case "probe":
		probeWithoutMain()
	default:
		fmt.Println("no such part:", part)
	}
}

var boxOnce = sync.OnceValues(func() (*Box, error) {
	return New(context.Background(), Config{Log: slog.New(slog.DiscardHandler)})
})

// theBox is shared by the tests.
func theBox(t testing.TB) *Box {
	t.Helper()
	b, err := boxOnce()
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("no sandbox here: %v", err)
		}
		t.Fatal(err)
	}
	return b
}

const testPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// bash runs a script in the worktree.
func bash(c Spec, script string) process.Spec {
	s := process.Bash(script)
	s.Dir, s.Env, s.Grace = c.Work, []string{testPath, "HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C"}, -1
	return s
}

func python(c Spec, script string) process.Spec {
	s := bash(c, "")
	s.Path, s.Args = "python3", []string{"-c", script}
	return s
}

// inside runs a program to its end and returns its output.
func inside(t testing.TB, c Spec, s process.Spec) process.Result {
	t.Helper()
	r, err := theBox(t).Run(t.Context(), s, process.Limits{Wall: time.Minute}, c)
	if err != nil {
		t.Fatal(err)
	}
	if r.TimedOut {
		t.Fatalf("still running after a minute: %s", r.Output)
	}
	return r
}

// must runs a script that has to succeed.
func must(t testing.TB, c Spec, script string) string {
	t.Helper()
	r := inside(t, c, bash(c, script))
	if !r.Success() {
		t.Fatalf("%s\n%s: %s", script, r.Exit, r.Output)
	}
	return r.Output
}

// fails runs each line as a script, all of which have to fail.
func fails(t testing.TB, c Spec, lines ...string) {
	t.Helper()
	var script strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&script, "if ( %s\n) 2>/dev/null >/dev/null; then echo 'went through: '%d; fi\n", line, i)
	}
	script.WriteString("echo end\n")
	out := must(t, c, script.String())
	for i, line := range lines {
		if strings.Contains(out, fmt.Sprintf("went through: %d\n", i)) {
			t.Errorf("went through: %s", line)
		}
	}
	if !strings.HasSuffix(out, "end\n") {
		t.Errorf("cut short: %s", out)
	}
}

// workIn is a new worktree.
func workIn(t testing.TB) Spec {
	t.Helper()
	return Spec{Work: realPath(t, t.TempDir())}
}

func realPath(t testing.TB, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// put creates files at paths below dir; a name with a trailing slash is a folder.
func put(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte("content of "+name+"\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tree lists everything below dir, with modes, link targets and contents.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&out, "%s %s", rel, info.Mode())
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			fmt.Fprintf(&out, " -> %s", to)
		case info.Mode().IsRegular():
			b, _ := os.ReadFile(path)
			fmt.Fprintf(&out, " %q", b)
		}
		out.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// unchanged fails the test if anything below dir has changed at its end.
func unchanged(t testing.TB, dir string) {
	t.Helper()
	before := tree(t, dir)
	t.Cleanup(func() {
		if after := tree(t, dir); after != before {
			t.Errorf("%s was:\n%s\nis:\n%s", dir, before, after)
		}
	})
}

// nothingLeft fails the test if a start has left files or cgroups behind.
func nothingLeft(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		for _, pattern := range []string{filepath.Join(os.TempDir(), "longshift-box-*")} {
			if list, _ := filepath.Glob(pattern); len(list) > 0 {
				t.Errorf("left behind: %v", list)
			}
		}
		for _, g := range theBox(t).groups {
			if list, _ := filepath.Glob(filepath.Join(g.dir, fmt.Sprintf("%s%d-*", groupPrefix, os.Getpid()))); len(list) > 0 {
				t.Errorf("left behind: %v", list)
			}
		}
	})
}
