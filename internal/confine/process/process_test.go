package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process/tree"
)

func TestMain(m *testing.M) {
	os.Unsetenv("LONGSHIFT_PLAIN") // here the race detector looks at the guards, too
	if script := os.Getenv("PROCESS_TEST_PARENT"); script != "" {
		parentMain(script)
	}
	os.Exit(m.Run())
}

// parentMain acts as a worker that will be killed: it runs the script, passes its output on, and never stops it.
func parentMain(script string) {
	s := bash(script)
	s.Session = os.Getenv("PROCESS_TEST_SESSION")
	p, err := Start(context.Background(), s)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.guard.Process.Pid)
	io.Copy(os.Stdout, p.Stdout())
	p.Wait()
	os.Exit(0)
}

func bash(command string) Spec {
	s := Bash(command)
	s.Env = []string{"PATH=/usr/bin:/bin"}
	return s
}

// stubborn starts a child in its own session that ignores TERM, and prints both process ids.
const stubborn = `setsid bash -c 'trap "" TERM; echo $$; while :; do sleep 1000 & wait; done' & echo $$; wait`

func mustStart(t *testing.T, ctx context.Context, s Spec) *Process {
	t.Helper()
	p, err := Start(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// readPids reads n process ids, one per line.
func readPids(t *testing.T, r io.Reader, n int) []tree.Process {
	t.Helper()
	var out []tree.Process
	lines := NewLineScanner(r, 100)
	for len(out) < n && lines.Scan() {
		pid, err := strconv.Atoi(string(lines.Bytes()))
		if err != nil {
			t.Fatalf("not a process id: %q", lines.Bytes())
		}
		p, err := tree.LookUp(pid)
		if err != nil {
			t.Fatalf("process %d: %v", pid, err)
		}
		out = append(out, p)
	}
	if len(out) < n {
		t.Fatalf("%d process ids, want %d", len(out), n)
	}
	return out
}

func gone(p tree.Process) bool {
	now, err := tree.LookUp(p.Pid)
	return err != nil || !now.Same(p)
}

func waitGone(t *testing.T, list ...tree.Process) {
	t.Helper()
	eventually(t, func() bool { return !slices.ContainsFunc(list, func(p tree.Process) bool { return !gone(p) }) },
		func() string { return fmt.Sprintf("still there: %v", slices.DeleteFunc(slices.Clone(list), gone)) })
}

func eventually(t *testing.T, ok func() bool, what func() string) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal(what())
		}
	}
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		script string
		want   Exit
	}{
		{"exit 0", Exit{}},
		{"exit 3", Exit{Code: 3}},
		{"exit 255", Exit{Code: 255}},
		{"kill -KILL $$", Exit{Code: -1, Signal: "SIGKILL"}},
		{"kill -TERM $$", Exit{Code: -1, Signal: "SIGTERM"}},
		{"kill -SEGV $$", Exit{Code: -1, Signal: "SIGSEGV"}},
		{"kill -RTMIN+3 $$", Exit{Code: -1, Signal: "signal 37"}},
	} {
		t.Run(c.script, func(t *testing.T) {
			if got := mustStart(t, t.Context(), bash(c.script)).Wait(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	with := func(change func(*Spec)) Spec { s := bash("true"); change(&s); return s }
	for name, c := range map[string]struct {
		spec Spec
		is   error
		text string
	}{
		"no file":       {with(func(s *Spec) { s.Path = dir + "/none" }), fs.ErrNotExist, dir + "/none"},
		"not in PATH":   {with(func(s *Spec) { s.Path = "no-such-program" }), fs.ErrNotExist, "not in PATH"},
		"relative":      {with(func(s *Spec) { s.Path = "./x" }), nil, "neither an absolute path"},
		"no permission": {with(func(s *Spec) { s.Path = plain }), fs.ErrPermission, plain},
		"no directory":  {with(func(s *Spec) { s.Dir = dir + "/gone" }), fs.ErrNotExist, "working directory"},
		"NUL":           {with(func(s *Spec) { s.Args = []string{"a\x00b"} }), nil, "NUL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Start(t.Context(), c.spec)
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %q and %v", err, c.text, c.is)
			}
			noChildren(t)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, bash("true")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// noChildren fails if this process has a child, including zombies.
func noChildren(t *testing.T) {
	t.Helper()
	eventually(t, func() bool {
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		return err == syscall.ECHILD
	}, func() string { return "a child is left" })
}

func TestEnvironmentIsComplete(t *testing.T) {
	t.Setenv("LEAK", "yes")
	s := Spec{Path: "env", Env: []string{"PATH=/usr/bin:/bin", "A=b c\nd", SessionEnv + "=other"}, Session: "s-1"}
	out, err := io.ReadAll(mustStart(t, t.Context(), s).Stdout())
	if want := "PATH=/usr/bin:/bin\nA=b c\nd\nLONGSHIFT_SESSION=s-1\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
}

func TestGuardShowsNothingOfItsOrder(t *testing.T) {
	s := bash("echo ready; read x; exit 0")
	s.StdinPipe = true
	s.Env = append(s.Env, "TOKEN=secret-value")
	p := mustStart(t, t.Context(), s)
	if _, err := io.ReadFull(p.Stdout(), make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"cmdline", "environ"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.guard.Process.Pid, file))
		if err != nil || strings.Contains(string(b), "secret-value") {
			t.Errorf("%s of the guard is %q, %v", file, b, err)
		}
	}
	p.Stdin().Close()
	if got := p.Wait(); got.Code != 0 {
		t.Errorf("got %v", got)
	}
}

func TestStdin(t *testing.T) {
	t.Run("reader", func(t *testing.T) {
		s := Spec{Path: "/bin/cat", Stdin: strings.NewReader(strings.Repeat("0123456789", 50_000))}
		out, err := io.ReadAll(mustStart(t, t.Context(), s).Stdout())
		if err != nil || len(out) != 500_000 {
			t.Errorf("%d bytes, %v", len(out), err)
		}
	})
	t.Run("program that does not read", func(t *testing.T) {
		s := Spec{Path: "/bin/true", Stdin: strings.NewReader(strings.Repeat("x", 1<<20))}
		if got := mustStart(t, t.Context(), s).Wait(); got.Code != 0 {
			t.Error(got)
		}
	})
	t.Run("pipe", func(t *testing.T) {
		p := mustStart(t, t.Context(), Spec{Path: "/bin/cat", StdinPipe: true})
		io.WriteString(p.Stdin(), "one\n")
		b := make([]byte, 4)
		if _, err := io.ReadFull(p.Stdout(), b); err != nil || string(b) != "one\n" {
			t.Errorf("got %q, %v", b, err)
		}
		p.Stdin().Close()
		if got := p.Wait(); got.Code != 0 {
			t.Error(got)
		}
	})
	t.Run("none", func(t *testing.T) {
		p := mustStart(t, t.Context(), Spec{Path: "/bin/cat"})
		if got := p.Wait(); got.Code != 0 || p.Stdin() != nil {
			t.Error(got)
		}
	})
}

func TestPipesEndWithTheProgramsOwn(t *testing.T) {
	s := bash("exec >&-; read x; exec <&-; trap 'exit 5' TERM; echo ready >&2; while :; do sleep 0.01; done")
	s.StdinPipe = true
	p := mustStart(t, t.Context(), s)
	if out, err := io.ReadAll(p.Stdout()); err != nil || len(out) > 0 {
		t.Errorf("got %q, %v", out, err)
	}
	io.WriteString(p.Stdin(), "go on\n")
	eventually(t, func() bool { _, err := io.WriteString(p.Stdin(), "x"); return errors.Is(err, syscall.EPIPE) },
		func() string { return "input of a program that has closed it goes nowhere without an error" })
	p.Stop()
	if got := p.Wait(); got.Code != 5 {
		t.Errorf("got %v", got)
	}
}

func TestOutputIsReadAfterTheEnd(t *testing.T) {
	p := mustStart(t, t.Context(), bash("echo out; echo err >&2"))
	p.Wait()
	p.stdout.f.SetReadDeadline(time.Now()) // as if a second had passed
	if out, err := io.ReadAll(p.Stdout()); err != nil || string(out) != "out\n" {
		t.Errorf("got %q, %v", out, err)
	}
	if got := p.Stderr(); got != "err\n" {
		t.Errorf("stderr is %q", got)
	}
}

func TestStderrIsCapped(t *testing.T) {
	p := mustStart(t, t.Context(), bash("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo end >&2"))
	p.Wait()
	if got := p.Stderr(); len(got) != stderrKept || !strings.HasSuffix(got, "xend\n") {
		t.Errorf("%d bytes, ends with %q", len(got), got[max(0, len(got)-10):])
	}
}
