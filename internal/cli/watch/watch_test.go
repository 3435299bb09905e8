package watch

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake/dirwatch"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Each change is one line, in its order; without a terminal there is no bell and no escape code.
func TestWatchTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, term.FormatText)
		b.start()
		clitest.Pass(5 * time.Minute)
		id, ft := b.begin("010-a.md", "# Add \x1b[31ma login\n\nNow.\n", task.Queued)
		b.finds(id)
		b.wrote()
		clitest.Pass(40 * time.Second)
		ft.Set(func(f *clitest.Task) { f.Status.Phase = task.Planning })
		ft.Log(clitest.Line(1, "plan", "revision 1"))
		clitest.Pass(3 * time.Second)
		b.remove("010-a.md")
		ft.Set(func(f *clitest.Task) {
			f.Status.PullRequest = &signals.PullRequest{Number: 7, URL: "https://example.com/7"}
		})
		ft.End(task.PullRequest)
		clitest.Pass(5 * time.Minute)
		b.end()
		out := b.Errs.String()
		clitest.Wants(t, out, "waiting      for files in backlog\n", "found        010-a.md: Add [31ma login\n", "task backlog:010-a.md\n",
			"started      backlog/010-a.md is worked on\n", "plan         revision 1\n",
			"ended        010-a.md: Pull request: https://example.com/7 · 0 sessions · $0.00", "; the file is removed\n",
			"waiting      for files in backlog\n", "stopped watching; no task runs\n")
		if strings.Count(out, "waiting ") != 2 || strings.ContainsAny(out, "\a\x1b\r") {
			t.Errorf("%q", out)
		}
		var silent term.Exit
		if !errors.As(b.err, &silent) || silent.Code != fault.ExitInterrupt {
			t.Errorf("ended with %v", b.err)
		}
	})
}

// A file is looked for once, a second after nobody has written for the quiet time; and again when the worker says that it is too early.
func TestWatchWaitsForQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, term.FormatJSONL)
		b.desk.next = []looked{{}, {pass: signals.PollResult{Again: 12 * time.Second}}}
		b.start()
		clitest.Pass(60*time.Second - time.Millisecond)
		for range 4 {
			b.wrote()
			clitest.Pass(20 * time.Second)
		}
		clitest.Pass(10 * time.Minute)
		b.changes <- dirwatch.Change{Gone: true, At: time.Now()}
		clitest.Pass(10 * time.Minute)
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
			b := newBench(t, true, term.FormatText)
			b.w.report.bell = bell
			id, ft := b.begin("010-a.md", "# A\n", task.Executing)
			b.finds(id)
			b.start()
			clitest.Pass(3 * time.Second)
			ft.Set(func(f *clitest.Task) {
				f.Status.Phase, f.Status.Reason, f.Status.Detail, f.Status.NeedsHuman = task.Suspended, signals.ReasonSpecIssue, "Which colour?", true
			})
			clitest.Pass(time.Hour)
			if n := len(b.desk.times()); n != 1 {
				t.Errorf("%d looks while the queue stands still", n)
			}
			ft.Set(func(f *clitest.Task) {
				f.Status.Phase, f.Status.Reason, f.Status.Detail, f.Status.NeedsHuman = task.Executing, "", "", false
			})
			clitest.Pass(3 * time.Second)
			ft.Set(func(f *clitest.Task) { f.Status.Detail = "not wanted" })
			ft.End(task.Abandoned)
			clitest.Pass(3 * time.Second)
			b.end()
			out := strings.ReplaceAll(b.Errs.String(), "\r\n", "\n")
			clitest.Wants(t, out, "BLOCKED      010-a.md: a question about the specification; no other file is started until it is answered\n",
				"Which colour?\n", `longshift resume backlog:010-a.md --note "the answer"`, "unblocked    010-a.md: it continues\n",
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
		b := newBench(t, false, term.FormatJSONL)
		one, first := b.begin("010-a.md", "# A\n", task.Executing)
		two, second := b.begin("020-b.md", "# B\n", task.Executing)
		b.finds(one)
		b.finds(two)
		b.start()
		clitest.Pass(3 * time.Second)
		first.Set(func(f *clitest.Task) { f.Status.Phase, f.Status.Reason = task.Suspended, signals.ReasonBudget })
		clitest.Pass(30 * time.Second)
		first.Set(func(f *clitest.Task) { f.Status.Phase, f.Status.Reason = task.Executing, "" })
		clitest.Pass(30 * time.Second)
		second.End(task.Failed)
		clitest.Pass(10 * time.Second)
		b.remove("010-a.md")
		first.End(task.PullRequest)
		clitest.Pass(10 * time.Second)
		b.end()
		want := []string{"found", "started", "blocked", "found", "started", "ended", "kept", "unblocked", "ended", "waiting"}
		if got := b.types(); !slices.Equal(got, want) {
			t.Errorf("events %q\n%s", got, b.Out.String())
		}
		clitest.Wants(t, b.Out.String(), `"type":"blocked"`, `"reason":"budget"`, `"type":"ended"`, `"file":"020-b.md"`, `"outcome":"failed"`,
			`"file":"010-a.md"`, `"removed":true`)
	})
}

// Silence of the server and of the worker is one line each, and its end another; nothing ends.
func TestWatchWhenNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, term.FormatText)
		silent := make(chan struct{})
		b.desk.down, b.desk.silent = serviceerror.NewUnavailable("connection refused"), silent
		b.start()
		clitest.Pass(5 * time.Minute)
		b.desk.set(func(d *fakeDesk) { d.down = nil })
		clitest.Pass(5 * time.Minute)
		close(silent)
		clitest.Pass(time.Minute)
		b.end()
		out := b.Errs.String()
		clitest.Wants(t, out, "the Temporal server does not answer", "the Temporal server answers again", "no worker is answering",
			"a worker answers again", "waiting ")
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
		b := newBench(t, false, term.FormatText)
		bad := looked{err: temporal.NewApplicationErrorWithOptions("no git repository", string(fault.NotFound),
			temporal.ApplicationErrorOptions{Details: []any{"run it on the worker's machine"}})}
		b.desk.next = []looked{bad, bad, bad}
		b.start()
		clitest.Pass(5 * time.Minute)
		b.end()
		out := b.Errs.String()
		clitest.Wants(t, out, "error        no git repository; run it on the worker's machine\n", "waiting ")
		if strings.Count(out, "no git repository") != 1 || len(b.desk.times()) != 4 {
			t.Errorf("looks at %s\n%s", b.desk.times(), out)
		}
	})
}

// Where an intake looks at the folder, watch follows what that one begins, and looks itself when it is gone.
func TestWatchScheduled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, term.FormatJSONL)
		s := intakes.Spec{}
		s.Name, s.Source, s.Repository = "nightly", "backlog", b.repo
		b.desk.schedules = []intakes.Spec{{}, s}
		b.start()
		clitest.Pass(time.Minute)
		id, ft := b.begin("010-a.md", "# A\n", task.Executing)
		clitest.Pass(30 * time.Second)
		b.remove("010-a.md")
		ft.End(task.AlreadyDone)
		clitest.Pass(30 * time.Second)
		if n := len(b.desk.looks); n != 0 {
			t.Errorf("%d looks of its own", n)
		}
		b.desk.set(func(d *fakeDesk) { d.schedules = nil })
		clitest.Pass(30 * time.Second)
		b.end()
		want := []string{"waiting", "found", "started", "ended", "waiting", "recovered", "waiting"}
		if got := b.types(); !slices.Equal(got, want) || !strings.Contains(b.Out.String(), id) || len(b.desk.looks) != 1 {
			t.Errorf("events %q, %d looks\n%s", got, len(b.desk.looks), b.Out.String())
		}
	})
}

// An intake that may be slow is told of what was written, once, when it is complete. One whose interval was given is left alone.
func TestWatchTellsTheIntake(t *testing.T) {
	for adaptive, want := range map[bool]int{true: 2, false: 0} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, false, term.FormatJSONL)
			s := intakes.Spec{}
			s.Name, s.Source, s.Repository, s.Adaptive = "nightly", "backlog", b.repo, adaptive
			b.desk.schedules = []intakes.Spec{s}
			b.start()
			clitest.Pass(time.Minute)
			begun := time.Now()
			for range 2 {
				b.put("010-a.md", "# A\n")
				b.wrote()
				clitest.Pass(20 * time.Second)
				b.wrote() // still at it
				clitest.Pass(2 * time.Minute)
			}
			b.end()
			if n := len(b.desk.triggered); n != want {
				t.Fatalf("adaptive %v: told %d times", adaptive, n)
			}
			for i, at := range b.desk.triggered {
				if after := at.Sub(begun) - time.Duration(i)*140*time.Second; after < 50*time.Second || after > 65*time.Second {
					t.Errorf("told after %s", after)
				}
			}
		})
	}
}

// Ctrl-C leaves the task to itself and says so in one line.
func TestWatchInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true, term.FormatText)
		id, _ := b.begin("010-a.md", "# A\n", task.Executing)
		b.finds(id)
		b.start()
		clitest.Pass(3 * time.Second)
		b.end()
		out := b.Errs.String()
		if !strings.HasSuffix(out, term.EraseLine+"stopped watching; task backlog:010-a.md continues: longshift status -f backlog:010-a.md\n") {
			t.Errorf("%q", out)
		}
	})
}
