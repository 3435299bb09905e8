package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
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
	return &logReader{p: c.program(), dir: dir, host: "here", files: map[int]*logFile{}, elsewhere: map[int]bool{}}
}

// Each byte is printed once, in the order of the sessions, over rotation, half lines and a log that begins anew.
func TestLogsFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t)
		dir := filepath.Join(t.TempDir(), "logs")
		ft := newFakeTask(task.Planning)
		r := newReader(c, dir)
		done := make(chan error)
		go func() {
			done <- r.follow(t.Context(), &watcher{client: ft, id: "web-1", clock: r.p.clock})
		}()
		pass(2*time.Second + 300*time.Millisecond) // between two looks: what is written together is seen together
		appendTo(t, dir, "01-planner.log", "one\ntwo, half")
		appendTo(t, dir, "check-01.log", "output of the check command\n")
		pass(time.Second)
		appendTo(t, dir, "01-planner.log", " a line\n\x1b[31mthree\r\n")
		pass(time.Second)
		appendTo(t, dir, "02-implementer.log", "four\n")
		pass(time.Second)
		appendTo(t, dir, "01-planner.log", "late\n")
		appendTo(t, dir, "02-implementer.log", strings.Repeat("x", 200_000)+"\nsix, no end")
		ft.set(func(f *fakeTask) {
			f.status.Sessions = []signals.Session{{N: 1, Host: "here"}, {N: 2, Host: "here"}, {N: 3, Role: task.Reviewer, Host: "there"}}
		})
		pass(2 * time.Second)
		ft.end(task.PullRequest)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		want := "one\ntwo, half a line\n[31mthree\nfour\nlate\n" + strings.Repeat("x", 200_000) + "\nsix, no end\n"
		if got := c.out.String(); got != want {
			t.Errorf("got %.300q", got)
		}
		wants(t, c.errs.String(), "no session yet; waiting\n", "── session 1: planner ──\n", "── session 2: implementer ──\n", "── session 1: planner ──\n", "── session 2: implementer ──\n",
			"session 3 (reviewer) has no log in this data folder; it ran on host there: run `longshift logs` there\n", "task ended: pull_request\n")
		if strings.Count(c.errs.String(), "host there") != 1 {
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
		ft := newFakeTask(task.Executing)
		ft.status.Sessions = []signals.Session{{N: 1, Outcome: "completed"}, {N: 2}}
		r := newReader(c, dir)
		r.only = 2
		done := make(chan error)
		go func() {
			done <- r.follow(t.Context(), &watcher{client: ft, id: "web-1", clock: r.p.clock})
		}()
		pass(3 * time.Second)
		appendTo(t, dir, "02-implementer.log", "three\n")
		ft.set(func(f *fakeTask) { f.status.Sessions[1].Outcome = "completed" })
		if err := <-done; err != nil { // ends with its session, not with the task
			t.Fatal(err)
		}
		if got := c.out.String(); got != "two\nthree\n" {
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
	if got := c.out.String(); got != "a long first line\nnew\n" {
		t.Errorf("got %q", got)
	}
}

func TestLogsAsJSON(t *testing.T) {
	c := newConsole(t)
	dir := t.TempDir()
	appendTo(t, dir, "10-reviewer.log", "says \"yes\"\nno end")
	appendTo(t, dir, "09-implementer.log", "first\n")
	r := newReader(c, dir)
	r.p.format = formatJSONL
	if err := r.read(true); err != nil {
		t.Fatal(err)
	}
	want := `{"line":"first","role":"implementer","session":9}` + "\n" + `{"line":"says \"yes\"","role":"reviewer","session":10}` + "\n" + `{"line":"no end","role":"reviewer","session":10}` + "\n"
	if got := c.out.String(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestLogFolder(t *testing.T) {
	f := found{id: "Web: 1", run: "01a1f85d-381d-7603-9886-a824af092ea5"}
	for _, c := range []struct {
		status *signals.Status
		want   string
		bad    bool
	}{
		{&signals.Status{TaskID: "web-1-abc"}, "/data/tasks/web-1-abc/logs", false},
		{nil, "/data/tasks/web-1-af092ea5/logs", false},
		{&signals.Status{}, "/data/tasks/web-1-af092ea5/logs", false},
		{&signals.Status{TaskID: "../../etc"}, "", true},
		{&signals.Status{TaskID: ".."}, "", true},
	} {
		got, err := logFolder("/data", f, c.status)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%+v: %q, %v", c.status, got, err)
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
		var sink synced
		p := newProgram(Streams{Out: &sink, Err: &sink}, Environ{}, Wiring{})
		r := &logReader{p: p, dir: dir, files: map[int]*logFile{}, elsewhere: map[int]bool{}}
		if err := r.read(true); err != nil {
			b.Fatal(err)
		}
	}
}
