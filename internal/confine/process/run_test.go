package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	s := bash("echo one; echo two >&2; cat; exit 9")
	s.Dir, s.OutputFile = t.TempDir(), filepath.Join(t.TempDir(), "log")
	got, err := Run(t.Context(), s, Limits{})
	if err != nil || got.Code != 9 || got.Output != "one\ntwo\n" || got.Cut > 0 || got.TimedOut || got.Duration <= 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	if b, err := os.ReadFile(s.OutputFile); err != nil || string(b) != "one\ntwo\n" {
		t.Errorf("output file holds %q, %v", b, err)
	}
}

func TestRunIgnoresFunctionsAndStartUpFiles(t *testing.T) {
	rc := filepath.Join(t.TempDir(), "rc")
	if err := os.WriteFile(rc, []byte("echo start-up"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := bash("ls /dev/null")
	s.Env = append(s.Env, "BASH_ENV="+rc, "ENV="+rc, "BASH_FUNC_ls%%=() { echo hijacked; }")
	if got, err := Run(t.Context(), s, Limits{}); err != nil || got.Output != "/dev/null\n" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestRunKeepsHeadAndTail(t *testing.T) {
	s := bash("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last")
	s.OutputFile = filepath.Join(t.TempDir(), "log")
	got, err := Run(t.Context(), s, Limits{Keep: 1000, File: 2000})
	if err != nil || got.Cut != 4999012 || len(got.Output) > 1100 ||
		!strings.HasPrefix(got.Output, "first\nxxx") || !strings.HasSuffix(got.Output, "xxx\nlast\n") ||
		!strings.Contains(got.Output, "\n[4999012 bytes left out]\n") {
		t.Errorf("%d bytes: %.80q, %v", len(got.Output), got.Output, err)
	}
	b, err := os.ReadFile(s.OutputFile)
	if err != nil || len(b) > 2100 || !strings.Contains(string(b), "reached its limit") {
		t.Errorf("output file has %d bytes, %v", len(b), err)
	}
}

func TestRunWall(t *testing.T) {
	s := bash(`echo started; ` + stubborn)
	s.Grace = -1
	got, err := Run(t.Context(), s, Limits{Wall: 200 * time.Millisecond})
	if err != nil || !got.TimedOut || got.Success() || !strings.HasPrefix(got.Output, "started\n") {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := Run(t.Context(), bash(`trap 'exit 0' TERM; while :; do sleep 0.01; done`),
		Limits{Wall: 200 * time.Millisecond}); err != nil || !got.TimedOut || got.Code != 0 {
		t.Errorf("with code 0 when it is told to stop: %+v, %v", got, err)
	}
	if got, err := Run(t.Context(), bash("true"), Limits{Wall: time.Minute}); err != nil || got.TimedOut || !got.Success() {
		t.Errorf("in time: %+v, %v", got, err)
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("worker stops")
	path := filepath.Join(t.TempDir(), "log")
	s := bash(stubborn)
	s.Grace, s.OutputFile = -1, path
	go func() {
		for size := int64(0); size == 0; {
			if info, err := os.Stat(path); err == nil {
				size = info.Size()
			}
		}
		cancel(why)
	}()
	got, err := Run(ctx, s, Limits{})
	if !errors.Is(err, why) || got.Success() {
		t.Errorf("got %+v, %v", got, err)
	}
	noChildren(t)
}

func TestRunTellsAFullDisk(t *testing.T) {
	s := bash("echo text")
	s.OutputFile = "/dev/full"
	got, err := Run(t.Context(), s, Limits{})
	if err == nil || !strings.Contains(err.Error(), "/dev/full") || got.Output != "text\n" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEnded(t *testing.T) {
	inner, calls := Exit{Code: -1, Signal: "SIGUSR1"}, 0
	s := bash("exit 3")
	s.Ended = func(outer Exit) Exit {
		if calls++; outer.Code != 3 {
			t.Errorf("the outer end is %v", outer)
		}
		noChildren(t)
		return inner
	}
	if got, err := Run(t.Context(), s, Limits{}); err != nil || got.Exit != inner || calls != 1 {
		t.Errorf("got %+v, %v, %d calls", got, err, calls)
	}
	if got := mustStart(t, t.Context(), s).Wait(); got != inner || calls != 2 {
		t.Errorf("got %+v, %d calls", got, calls)
	}
}

func TestRunReadsNothing(t *testing.T) {
	got, err := Run(t.Context(), bash("read x; echo $?"), Limits{})
	if err != nil || got.Output != "1\n" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestCapture(t *testing.T) {
	all := []byte(strings.Repeat("0123456789", 100))
	for _, step := range []int{1, 3, 7, 100, 1000} {
		c := newCapture(10, 25)
		for chunk := range chunks(all, step) {
			c.Write(chunk)
		}
		if want := "0123456789\n[965 bytes left out]\n5678901234567890123456789"; c.String() != want {
			t.Errorf("by %d: %q", step, c.String())
		}
		if cap(c.tail) > 100 {
			t.Errorf("by %d: holds %d bytes", step, cap(c.tail))
		}
	}
	c := newCapture(10, 25)
	c.Write(all[:35])
	if c.String() != string(all[:35]) || c.cut() != 0 {
		t.Errorf("what fits is %q, cut %d", c.String(), c.cut())
	}
	c.Write([]byte{0xff})
	if !strings.HasSuffix(c.String(), "\uFFFD") {
		t.Errorf("not UTF-8: %q", c.String())
	}
}

func chunks(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			k := min(n, len(b))
			if !yield(bytes.Clone(b[:k])) {
				return
			}
			b = b[k:]
		}
	}
}

func BenchmarkRunUnderGuard(b *testing.B) {
	for b.Loop() {
		if r, err := Run(b.Context(), Spec{Path: "/bin/true"}, Limits{}); err != nil || !r.Success() {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkRunPlain(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// Another process of the same user must not be able to write to a program's stdin.
func TestStdinOfAProgramCantBeOpenedAgain(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	s := bash(`read line; echo "got $line"; echo forged > /proc/$$/fd/0 && echo opened; true`)
	s.StdinPipe = true
	p, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.Stdin(), "one\n"); err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(p.Stdout())
	p.Stdin().Close()
	if got := string(out); got != "got one\n" || !p.Wait().Success() {
		t.Errorf("got %q, %v", got, p.Wait())
	}
}

// The output passes the filter completely before it is written to the file; the result has the unfiltered output.
func TestOutputFilter(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out")
	s := Bash("printf 'one\ntwo'")
	s.OutputFile, s.Filter = file, func(to io.Writer) io.WriteCloser { return &shout{to: to} }
	r, err := Run(t.Context(), s, Limits{File: 6})
	if err != nil || r.Output != "one\ntwo" {
		t.Errorf("output %q, %v", r.Output, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "ONE\nTW\n[the output file has reached its limit]\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// shout buffers everything until it is closed.
type shout struct {
	to   io.Writer
	kept []byte
}

func (s *shout) Write(b []byte) (int, error) {
	s.kept = append(s.kept, b...)
	return len(b), nil
}

func (s *shout) Close() error {
	_, err := s.to.Write(bytes.ToUpper(s.kept))
	return err
}
