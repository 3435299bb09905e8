package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/dirwatch"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intakes"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// Each change is one line, in its order; without a terminal there is no bell and no escape code.
func TestWatchTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, formatText)
		b.start()
		pass(5 * time.Minute)
		id, ft := b.begin("010-a.md", "# Add \x1b[31ma login\n\nNow.\n", task.Queued)
		b.finds(id)
		b.wrote()
		pass(40 * time.Second)
		ft.set(func(f *fakeTask) { f.status.Phase = task.Planning })
		ft.log(line(1, "plan", "revision 1"))
		pass(3 * time.Second)
		b.remove("010-a.md")
		ft.set(func(f *fakeTask) {
			f.status.PullRequest = &signals.PullRequest{Number: 7, URL: "https://example.com/7"}
		})
		ft.end(task.PullRequest)
		pass(5 * time.Minute)
		b.end()
		out := b.errs.String()
		wants(t, out, "waiting      for files in backlog\n", "found        010-a.md: Add [31ma login\n", "task backlog:010-a.md\n",
			"started      backlog/010-a.md is worked on\n", "plan         revision 1\n",
			"ended        010-a.md: Pull request: https://example.com/7 · 0 sessions · $0.00", "; the file is removed\n",
			"waiting      for files in backlog\n", "stopped watching; no task runs\n")
		if strings.Count(out, "waiting ") != 2 || strings.ContainsAny(out, "\a\x1b\r") {
			t.Errorf("%q", out)
		}
		var silent exit
		if !errors.As(b.err, &silent) || silent.code != fault.ExitInterrupt {
			t.Errorf("ended with %v", b.err)
		}
	})
}

// A file is looked for once, a second after nobody has written for the quiet time; and again when the worker says that it is too early.
func TestWatchWaitsForQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, formatJSONL)
		b.desk.next = []looked{{}, {pass: signals.Pass{Again: 12 * time.Second}}}
		b.start()
		pass(60*time.Second - time.Millisecond)
		for range 4 {
			b.wrote()
			pass(20 * time.Second)
		}
		pass(10 * time.Minute)
		b.changes <- dirwatch.Change{Gone: true, At: time.Now()}
		pass(10 * time.Minute)
		b.end()
		if got := b.desk.times(); !slices.Equal(got, []time.Duration{0, 151 * time.Second, 163 * time.Second}) {
			t.Errorf("looks at %s", got)
		}
		if got := b.types(); !slices.Equal(got, []string{"waiting"}) {
			t.Errorf("events %q", got)
		}
	})
}

// A question blocks until it is answered; the bell rings for each thing that needs somebody, and not without a terminal.
func TestWatchBlocked(t *testing.T) {
	for _, bell := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, true, formatText)
			b.w.rings = bell
			id, ft := b.begin("010-a.md", "# A\n", task.Executing)
			b.finds(id)
			b.start()
			pass(3 * time.Second)
			ft.set(func(f *fakeTask) {
				f.status.Phase, f.status.Reason, f.status.Detail, f.status.NeedsHuman = task.Suspended, signals.ReasonSpecIssue, "Which colour?", true
			})
			pass(time.Hour)
			if n := len(b.desk.times()); n != 1 {
				t.Errorf("%d looks while the queue stands still", n)
			}
			ft.set(func(f *fakeTask) {
				f.status.Phase, f.status.Reason, f.status.Detail, f.status.NeedsHuman = task.Executing, "", "", false
			})
			pass(3 * time.Second)
			ft.set(func(f *fakeTask) { f.status.Detail = "not wanted" })
			ft.end(task.Abandoned)
			pass(3 * time.Second)
			b.end()
			out := strings.ReplaceAll(b.errs.String(), "\r\n", "\n")
			wants(t, out, "BLOCKED      010-a.md: a question about the specification; no other file is begun until it is answered\n",
				"Which colour?\n", `longshift resume backlog:010-a.md --note "the answer"`, "unblocked    010-a.md: it goes on\n",
				"ended        010-a.md: Abandoned: not wanted", "kept         010-a.md stays where it is; edit it to have it worked on again, or remove it\n",
				"waiting      for files in backlog; kept as they are: 010-a.md (edit one to have it worked on again)\n")
			if strings.Count(out, "BLOCKED") != 1 || strings.Contains(out, "Suspended: ") {
				t.Errorf("%s", out)
			}
			if n := strings.Count(out, "\a"); bell && n != 2 || !bell && n != 0 {
				t.Errorf("%d bells", n)
			}
		})
	}
}

// A task that waits for money holds up nobody: the next file is begun, and the first is followed again when it goes on.
func TestWatchParks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, formatJSONL)
		one, first := b.begin("010-a.md", "# A\n", task.Executing)
		two, second := b.begin("020-b.md", "# B\n", task.Executing)
		b.finds(one)
		b.finds(two)
		b.start()
		pass(3 * time.Second)
		first.set(func(f *fakeTask) { f.status.Phase, f.status.Reason = task.Suspended, signals.ReasonBudget })
		pass(30 * time.Second)
		first.set(func(f *fakeTask) { f.status.Phase, f.status.Reason = task.Executing, "" })
		pass(30 * time.Second)
		second.end(task.Failed)
		pass(10 * time.Second)
		b.remove("010-a.md")
		first.end(task.PullRequest)
		pass(10 * time.Second)
		b.end()
		want := []string{"found", "started", "blocked", "found", "started", "ended", "kept", "unblocked", "ended", "waiting"}
		if got := b.types(); !slices.Equal(got, want) {
			t.Errorf("events %q\n%s", got, b.out.String())
		}
		wants(t, b.out.String(), `"type":"blocked"`, `"reason":"budget"`, `"type":"ended"`, `"file":"020-b.md"`, `"outcome":"failed"`, `"file":"010-a.md"`, `"removed":true`)
	})
}

// Silence of the server and of the worker is one line each, and its end another; nothing ends.
func TestWatchWhenNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, formatText)
		silent := make(chan struct{})
		b.desk.down, b.desk.silent = serviceerror.NewUnavailable("connection refused"), silent
		b.start()
		pass(5 * time.Minute)
		b.desk.set(func(d *fakeDesk) { d.down = nil })
		pass(5 * time.Minute)
		close(silent)
		pass(time.Minute)
		b.end()
		out := b.errs.String()
		wants(t, out, "the Temporal server does not answer", "the Temporal server answers again", "no worker is answering", "a worker answers again", "waiting ")
		if n := strings.Count(out, "\n"); n != 6 {
			t.Errorf("%d lines:\n%s", n, out)
		}
		if n := len(b.desk.times()); n != 1 {
			t.Errorf("%d looks", n)
		}
	})
}

// A look that fails is told of once, with the way out, and made again.
func TestWatchLookFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, formatText)
		bad := looked{err: temporal.NewApplicationErrorWithOptions("no git repository", string(fault.NotFound), temporal.ApplicationErrorOptions{Details: []any{"run it on the worker's machine"}})}
		b.desk.next = []looked{bad, bad, bad}
		b.start()
		pass(5 * time.Minute)
		b.end()
		out := b.errs.String()
		wants(t, out, "error        no git repository; run it on the worker's machine\n", "waiting ")
		if strings.Count(out, "no git repository") != 1 || len(b.desk.times()) != 4 {
			t.Errorf("looks at %s\n%s", b.desk.times(), out)
		}
	})
}

// Where an intake looks at the folder, watch follows what that one begins, and looks itself when it is gone.
func TestWatchScheduled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, formatJSONL)
		s := intakes.Spec{}
		s.Name, s.Source, s.Repository = "nightly", "backlog", b.repo
		b.desk.schedules = []intakes.Spec{{}, s}
		b.start()
		pass(time.Minute)
		id, ft := b.begin("010-a.md", "# A\n", task.Executing)
		pass(30 * time.Second)
		b.remove("010-a.md")
		ft.end(task.AlreadyDone)
		pass(30 * time.Second)
		if n := len(b.desk.looks); n != 0 {
			t.Errorf("%d looks of its own", n)
		}
		b.desk.set(func(d *fakeDesk) { d.schedules = nil })
		pass(30 * time.Second)
		b.end()
		want := []string{"waiting", "found", "started", "ended", "waiting", "recovered", "waiting"}
		if got := b.types(); !slices.Equal(got, want) || !strings.Contains(b.out.String(), id) || len(b.desk.looks) != 1 {
			t.Errorf("events %q, %d looks\n%s", got, len(b.desk.looks), b.out.String())
		}
	})
}

// Ctrl-C leaves the task to itself and says so in one line.
func TestWatchInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true, formatText)
		id, _ := b.begin("010-a.md", "# A\n", task.Executing)
		b.finds(id)
		b.start()
		pass(3 * time.Second)
		b.end()
		out := b.errs.String()
		if !strings.HasSuffix(out, eraseLine+"stopped watching; task backlog:010-a.md goes on: longshift status -f backlog:010-a.md\n") {
			t.Errorf("%q", out)
		}
	})
}

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
			b.dir = filepath.Join(dir, c.in)
			if code := b.run(append([]string{"watch"}, c.args...)...); code != c.code || !strings.Contains(b.errs.String(), c.says) {
				t.Errorf("exit code %d: %s", code, b.errs.String())
			}
			if out := b.errs.String(); strings.Count(out, "\n") != 1 || b.out.String() != "" {
				t.Errorf("more than a line: %q%q", out, b.out.String())
			}
		})
	}
}
