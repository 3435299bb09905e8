package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func appendTo(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func newReader(c *console, dir string) *logReader {
	f := c.factory()
	r := newLogReader(f.printer, f.streams.Out, f.clock, dir)
	r.host = "here"
	return r
}

// Each byte is printed once, in the order of the sessions, over rotation, half lines and a log that begins anew.
func TestLogsFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t)
		dir := filepath.Join(t.TempDir(), "logs")
		ft := clitest.NewTask(task.Planning)
		r := newReader(c, dir)
		done := make(chan error)
		go func() {
			done <- r.follow(t.Context(), tasks.NewPoller(ft, "web-1", "", r.clock))
		}()
		clitest.Pass(2*time.Second + 300*time.Millisecond) // between two looks: what is written together is seen together
		appendTo(t, dir, "01-planner.log", "one\ntwo, half")
		appendTo(t, dir, "check-01.log", "output of the check command\n")
		clitest.Pass(time.Second)
		appendTo(t, dir, "01-planner.log", " a line\n\x1b[31mthree\r\n")
		clitest.Pass(time.Second)
		appendTo(t, dir, "02-implementer.log", "four\n")
		clitest.Pass(time.Second)
		appendTo(t, dir, "01-planner.log", "late\n")
		appendTo(t, dir, "02-implementer.log", strings.Repeat("x", 200_000)+"\nsix, no end")
		ft.Set(func(f *clitest.Task) {
			f.Status.Sessions = []signals.Session{{N: 1, Host: "here"}, {N: 2, Host: "here"}, {N: 3, Role: task.Reviewer, Host: "there"}}
		})
		clitest.Pass(2 * time.Second)
		ft.End(task.PullRequest)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		want := "one\ntwo, half a line\n[31mthree\nfour\nlate\n" + strings.Repeat("x", 200_000) + "\nsix, no end\n"
		if got := c.Out.String(); got != want {
			t.Errorf("got %.300q", got)
		}
		clitest.Wants(t, c.Errs.String(), "no session yet; waiting\n", "── session 1: planner ──\n", "── session 2: implementer ──\n",
			"── session 1: planner ──\n", "── session 2: implementer ──\n",
			"session 3 (reviewer) has no log in this data folder; it ran on host there: run `longshift logs` there\n", "task ended: pull_request\n")
		if strings.Count(c.Errs.String(), "host there") != 1 {
			t.Error("said twice")
		}
	})
}

func TestLogsOfOneSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t)
		dir := t.TempDir()
		appendTo(t, dir, "01-planner.log", "one\n")
		appendTo(t, dir, "02-implementer.log", "two\n")
		ft := clitest.NewTask(task.Executing)
		ft.Status.Sessions = []signals.Session{{N: 1, Outcome: "completed"}, {N: 2}}
		r := newReader(c, dir)
		r.only = 2
		done := make(chan error)
		go func() {
			done <- r.follow(t.Context(), tasks.NewPoller(ft, "web-1", "", r.clock))
		}()
		clitest.Pass(3 * time.Second)
		appendTo(t, dir, "02-implementer.log", "three\n")
		ft.Set(func(f *clitest.Task) { f.Status.Sessions[1].Outcome = "completed" })
		if err := <-done; err != nil { // ends with its session, not with the task
			t.Fatal(err)
		}
		if got := c.Out.String(); got != "two\nthree\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestLogReaderStartsAnew(t *testing.T) {
	c := newConsole(t)
	dir := t.TempDir()
	r := newReader(c, dir)
	for _, content := range []string{"a long first line\n", "new\n"} {
		if err := os.WriteFile(filepath.Join(dir, "01-planner.log"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := r.read(false); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Out.String(); got != "a long first line\nnew\n" {
		t.Errorf("got %q", got)
	}
}

func TestLogsAsJSON(t *testing.T) {
	c := newConsole(t)
	dir := t.TempDir()
	appendTo(t, dir, "10-reviewer.log", "says \"yes\"\nno end")
	appendTo(t, dir, "09-implementer.log", "first\n")
	r := newReader(c, dir)
	r.printer.Format = term.FormatJSONL
	if err := r.read(true); err != nil {
		t.Fatal(err)
	}
	want := `{"line":"first","role":"implementer","session":9}` + "\n" + `{"line":"says \"yes\"","role":"reviewer","session":10}` + "\n" +
		`{"line":"no end","role":"reviewer","session":10}` + "\n"
	if got := c.Out.String(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestTaskFolder(t *testing.T) {
	f := tasks.Found{ID: "Web: 1", Run: "01a1f85d-381d-7603-9886-a824af092ea5"}
	for _, c := range []struct {
		status *signals.Status
		want   string
		bad    bool
	}{
		{&signals.Status{TaskID: "web-1-abc"}, "/data/tasks/web-1-abc", false},
		{nil, "/data/tasks/web-1-af092ea5", false},
		{&signals.Status{}, "/data/tasks/web-1-af092ea5", false},
		{&signals.Status{TaskID: "../../etc"}, "", true},
		{&signals.Status{TaskID: ".."}, "", true},
	} {
		got, err := taskFolder("/data", f, c.status)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%+v: %q, %v", c.status, got, err)
		}
	}
}

// TestLogsElsewhere: when all sessions ran on other hosts, people have been told so, and programs are given an error.
func TestLogsElsewhere(t *testing.T) {
	for format, want := range map[string]error{
		term.FormatText: term.Exit{Code: fault.ExitNotFound},
		term.FormatJSON: fault.New(fault.NotFound, "no log of task web-1 in this data folder: its sessions ran on other hosts"),
	} {
		r := newReader(newConsole(t), t.TempDir())
		r.printer.Format = format
		status := &signals.Status{TaskID: "web-1", Sessions: []signals.Session{{N: 1, Role: task.Planner, Host: "there"}}}
		r.missing(status, time.Now())
		err := r.nothing(tasks.Found{ID: "web-1"}, status)
		if err == nil || err.Error() != want.Error() || fault.KindOf(err) != fault.KindOf(want) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func BenchmarkLogReader(b *testing.B) {
	dir := b.TempDir()
	text := strings.Repeat(fmt.Sprintf("%s\n", strings.Repeat("x", 120)), 10_000)
	if err := os.WriteFile(filepath.Join(dir, "01-planner.log"), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var sink clitest.Buffer
		r := newLogReader(term.NewPrinter(term.Streams{Out: &sink, Err: &sink}), &sink, environ.SystemClock(), dir)
		if err := r.read(true); err != nil {
			b.Fatal(err)
		}
	}
}
