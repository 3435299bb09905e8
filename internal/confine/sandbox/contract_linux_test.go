package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
)

func TestExits(t *testing.T) {
	c := workIn(t)
	for script, want := range map[string]process.Exit{
		"exit 0": {}, "exit 7": {Code: 7}, "exit 137": {Code: 137}, "exit 255": {Code: 255},
		"kill -KILL $$": {Code: -1, Signal: "SIGKILL"}, "kill -TERM $$": {Code: -1, Signal: "SIGTERM"}, "kill -SEGV $$": {Code: -1, Signal: "SIGSEGV"},
		"kill -USR1 $$": {Code: -1, Signal: "SIGUSR1"}, "bash -c 'kill -KILL $$'": {Code: -1, Signal: "SIGKILL"},
		"bash -c 'kill -KILL $$'; exit $?": {Code: 137}, "trap 'exit 3' TERM; kill -TERM $$; sleep 5": {Code: 3}, "kill -HUP $$": {Code: -1, Signal: "SIGHUP"},
		"kill -INT $$": {Code: -1, Signal: "SIGINT"}, "kill -KILL -1; exit 9": {Code: 9}, "kill -TERM 0": {Code: -1, Signal: "SIGTERM"},
	} {
		if r := inside(t, c, bash(c, script)); r.Exit != want {
			t.Errorf("%s: got %+v, want %+v: %s", script, r.Exit, want, r.Output)
		}
	}
}

// TERM reaches the program, but not the processes around it.
func TestStopIsTermThenKill(t *testing.T) {
	c := workIn(t)
	for script, want := range map[string]process.Exit{
		`trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done`: {Code: 5},
		`trap '' TERM; echo ready; while :; do sleep 0.01; done`:                 {Code: -1, Signal: "SIGKILL"},
		`echo ready; exec sleep 1000`:                                            {Code: -1, Signal: "SIGTERM"},
	} {
		s := bash(c, script)
		s.Grace = 300 * time.Millisecond
		if want.Code == 5 {
			s.Grace = 10 * time.Second
		}
		p, err := theBox(t).Start(t.Context(), s, c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Stop)
		readLine(t, p.Stdout())
		p.Stop()
		rest, _ := io.ReadAll(p.Stdout())
		if got := p.Wait(); got != want || want.Code == 5 && string(rest) != "bye\n" {
			t.Errorf("%s: got %+v, %q", script, got, rest)
		}
	}
}

func TestPipes(t *testing.T) {
	c := workIn(t)
	s := bash(c, `read x; echo "got $x"; echo err >&2; exec >&- ; read y; exec <&-; trap 'exit 6' TERM; while :; do sleep 0.01; done`)
	s.StdinPipe = true
	p, err := theBox(t).Start(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	io.WriteString(p.Stdin(), "one\n")
	if out, err := io.ReadAll(p.Stdout()); err != nil || string(out) != "got one\n" { // ends when the program closes it
		t.Errorf("got %q, %v", out, err)
	}
	io.WriteString(p.Stdin(), "two\n")
	for err = nil; !errors.Is(err, syscall.EPIPE); _, err = io.WriteString(p.Stdin(), "x") {
		if t.Context().Err() != nil {
			t.Fatal("input of a program that has closed it goes nowhere without an error")
		}
	}
	p.Stop()
	if !strings.HasPrefix(p.Stderr(), "err\n") { // bash may report its child
		t.Errorf("stderr is %q", p.Stderr())
	}
	s = bash(c, "cat; echo err >&2")
	s.Stdin = strings.NewReader(strings.Repeat("0123456789", 100_000))
	if r := inside(t, c, s); !r.Success() || r.Cut == 0 || !strings.HasSuffix(r.Output, "9err\n") {
		t.Errorf("%s, %d bytes", r.Exit, len(r.Output))
	}
}

func TestProcessGroup(t *testing.T) {
	c := workIn(t)
	if out := must(t, c, `[ $(ps -o pgid= $$) = $$ ] && bash -c '[ $(ps -o pgid= $$) != $$ ]' && setsid -w bash -c '[ $(ps -o sid= $$) = $$ ]' && echo yes`); out != "yes\n" {
		t.Errorf("got %s", out)
	}
}

func TestSession(t *testing.T) {
	c := workIn(t)
	s := bash(c, "echo ready; trap '' TERM; while :; do sleep 1; done")
	s.Session = "s-" + randomName()
	s.Env = append(s.Env, process.SessionEnv+"=another")
	p, err := theBox(t).Start(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	readLine(t, p.Stdout())
	if n, err := process.ReapSession(t.Context(), s.Session); n == 0 || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
	p.Wait()
	s = bash(c, "echo $LONGSHIFT_SESSION")
	s.Session = "mine"
	if r := inside(t, c, s); r.Output != "mine\n" {
		t.Errorf("got %q", r.Output)
	}
}

func TestProgramThatCannotStart(t *testing.T) {
	c := workIn(t)
	nothingLeft(t)
	put(t, c.Work, "text", "dir/")
	if err := os.WriteFile(filepath.Join(c.Work, "no-loader"), []byte("#!/none\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, look := range map[string]struct {
		change func(*process.Spec)
		want   error
	}{
		"none":       {func(s *process.Spec) { s.Path = "/none" }, fs.ErrNotExist},
		"not found":  {func(s *process.Spec) { s.Path = "longshift-none" }, fs.ErrNotExist},
		"relative":   {func(s *process.Spec) { s.Path = "./text" }, nil},
		"text":       {func(s *process.Spec) { s.Path = filepath.Join(c.Work, "text") }, fs.ErrPermission},
		"no loader":  {func(s *process.Spec) { s.Path = filepath.Join(c.Work, "no-loader") }, fs.ErrNotExist},
		"folder":     {func(s *process.Spec) { s.Path = c.Work }, fs.ErrPermission},
		"no place":   {func(s *process.Spec) { s.Dir = "/none" }, fs.ErrNotExist},
		"file place": {func(s *process.Spec) { s.Dir = filepath.Join(c.Work, "text") }, nil},
		"NUL":        {func(s *process.Spec) { s.Args = []string{"a\x00b"} }, nil},
	} {
		s := bash(c, "true")
		look.change(&s)
		_, err := theBox(t).Start(t.Context(), s, c)
		_, err2 := theBox(t).Run(t.Context(), s, process.Limits{}, c)
		for _, err := range []error{err, err2} {
			if err == nil || look.want != nil && !errors.Is(err, look.want) || !strings.HasPrefix(err.Error(), "start "+s.Path+": ") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := theBox(t).Start(ctx, bash(c, "true"), c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := theBox(t).Run(ctx, bash(c, "true"), process.Limits{}, c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRunLimits(t *testing.T) {
	c := workIn(t)
	s := bash(c, "echo started; sleep 1000")
	r, err := theBox(t).Run(t.Context(), s, process.Limits{Wall: 3 * time.Second}, c) // long enough on a busy machine
	if err != nil || !r.TimedOut || r.Output != "started\n" {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = theBox(t).Run(t.Context(), bash(c, "true"), process.Limits{Wall: time.Microsecond}, c)
	if err == nil && !r.TimedOut {
		t.Errorf("%+v", r)
	}
}

func TestManyAtOnce(t *testing.T) {
	nothingLeft(t)
	b, errs := theBox(t), make(chan error)
	for i := range 12 {
		c := workIn(t)
		go func() {
			r, err := b.Run(t.Context(), bash(c, fmt.Sprintf("echo %d > x; exit %d", i, i)), process.Limits{}, c)
			if err == nil && r.Code != i {
				err = errors.New(r.Exit.String())
			}
			errs <- err
		}()
	}
	for range 12 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
