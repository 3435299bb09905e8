package tasks

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestFollowPlainly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := clitest.NewTask(task.Planning)
		ft.Log(clitest.Line(1, "planning", "the planner starts"))
		f := startFollowing(t, ft, false)
		clitest.Pass(3 * time.Second)
		ft.Log(clitest.Line(2, "NOTE", "two\nlines, and an escape \x1b[31mcode"))
		clitest.Pass(3 * time.Second)
		ft.Set(func(f *clitest.Task) {
			f.Status.Phase, f.Status.Plan, f.Status.WaitingUntil = task.Approving, &task.Plan{Revision: 1, Summary: "One step"}, time.Now().Add(20*time.Minute)
		})
		clitest.Pass(3 * time.Second)
		ft.Set(func(f *clitest.Task) {
			f.Status.Phase, f.Status.WaitingUntil = task.Waiting, time.Date(2000, 1, 1, 18, 0, 0, 0, time.UTC)
		})
		clitest.Pass(3 * time.Second)
		ft.Set(func(f *clitest.Task) { f.Status.Log = []signals.LogLine{clitest.Line(7, "ended", "pull_request")} })
		ft.End(task.PullRequest)
		f.end()
		if f.err != nil || f.status.Outcome != task.PullRequest {
			t.Errorf("%v, %+v", f.err, f.status)
		}
		out := f.Errs.String()
		clitest.Wants(t, out, "planning     the planner starts\n", "NOTE         two\n"+strings.Repeat(" ", 23)+"lines, and an escape [31mcode\n",
			"Plan, revision 1: One step", "Plan 1 waits for a decision; it is approved automatically at ", ", in ", "longshift approve web-1",
			"⏳ Waiting... ", "remaining (resets at 6:00 PM UTC)\n", "gap          4 lines left out", "ended        pull_request")
		if strings.Count(out, "the planner starts") != 1 || strings.Count(out, "Plan, revision 1") != 1 || strings.Count(out, "Waiting...") != 1 {
			t.Errorf("something is shown twice:\n%s", out)
		}
		if strings.ContainsAny(out, "\x1b\r") {
			t.Errorf("escape codes without a terminal: %q", out)
		}
	})
}

// On a terminal there is one live line, which never wraps and is gone at the end.
func TestFollowLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := clitest.NewTask(task.Preparing)
		f := startFollowing(t, ft, true)
		clitest.Pass(2500 * time.Millisecond)
		ft.Set(func(f *clitest.Task) {
			f.Status.Phase = task.Executing
			f.Status.Usage = task.Usage{CostUSD: 1}
			f.Status.Sessions = []signals.Session{{N: 1, ID: "s-1", Usage: task.Usage{CostUSD: 0.5}}}
			f.Beat = &signals.Heartbeat{Session: "s-1", N: 1, Role: task.Implementer, Activity: "Running Bash", Tools: 7,
				Started: time.Now().Add(-80 * time.Second), Usage: task.Usage{CostUSD: 0.62}}
		})
		clitest.Pass(3 * time.Second)
		ft.Set(func(f *clitest.Task) { f.Beat.Activity = "Reading " + strings.Repeat("漢", 100) })
		clitest.Pass(2 * time.Second)
		ft.Log(clitest.Line(1, "commit", "a permanent line"))
		clitest.Pass(2 * time.Second)
		ft.End(task.AlreadyDone)
		f.end()
		out := f.Errs.String()
		clitest.Wants(t, out, "\r\x1b[K⚡ 1s Preparing... · $0.00", "⚡ 1m 22s Running Bash... (7 tools) · $1.12", "a permanent line\r\n⚡")
		for _, shown := range strings.FieldsFunc(out, func(r rune) bool { return r == '\r' || r == '\n' }) {
			if n := term.Cells(strings.TrimPrefix(shown, "\x1b[K")); strings.Contains(shown, "⚡") && n > 79 {
				t.Errorf("%d columns: %s", n, shown)
			}
		}
		if !strings.HasSuffix(out, "\r\x1b[K") {
			t.Errorf("the live line is left: %q", out[len(out)-60:])
		}
	})
}

// Without a terminal a line says that a step waits for long, once. On a terminal the live line says it.
func TestFollowAStepThatWaits(t *testing.T) {
	for terminal, want := range map[bool]int{false: 1, true: 0} {
		synctest.Test(t, func(t *testing.T) {
			ft := clitest.NewTask(task.Executing)
			ft.Beat = &signals.Heartbeat{Waiting: true}
			f := startFollowing(t, ft, terminal)
			clitest.Pass(20 * time.Second)
			ft.Set(func(f *clitest.Task) { f.Beat = nil })
			clitest.Pass(3 * time.Second)
			ft.Set(func(f *clitest.Task) { f.Beat = &signals.Heartbeat{Waiting: true} })
			clitest.Pass(20 * time.Second)
			const line = "waits        for a free slot on its host"
			if strings.Contains(f.Errs.String(), line) {
				t.Error("it is said at once")
			}
			clitest.Pass(2 * time.Minute)
			ft.End(task.PullRequest)
			f.end()
			if got := strings.Count(f.Errs.String(), line); got != want {
				t.Errorf("said %d times, want %d:\n%s", got, want, f.Errs.String())
			}
		})
	}
}

func TestFollowWhenNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := clitest.NewTask(task.Executing)
		f := startFollowing(t, ft, false)
		clitest.Pass(3 * time.Second)
		ft.Set(func(f *clitest.Task) { f.Worker = context.DeadlineExceeded })
		clitest.Pass(30 * time.Second)
		ft.Set(func(f *clitest.Task) { f.Worker = nil })
		clitest.Pass(10 * time.Second)
		ft.Set(func(f *clitest.Task) { f.Server = serviceerror.NewUnavailable("connection refused") })
		clitest.Pass(30 * time.Second)
		ft.Set(func(f *clitest.Task) { f.Server = nil })
		clitest.Pass(10 * time.Second)
		ft.End(task.PullRequest)
		f.end()
		if f.err != nil {
			t.Error(f.err)
		}
		out := f.Errs.String()
		clitest.Wants(t, out, "no worker is answering; the task is safe and continues when one is back; start one with `longshift dev`", "a worker answers again\n",
			"the Temporal server does not answer; the task is safe there; trying again\n", "the Temporal server answers again\n")
		if n := strings.Count(out, "\n"); n != 4 {
			t.Errorf("%d lines, want 4:\n%s", n, out)
		}
	})
}

// A task whose history stands still is asked about seldom: a query costs its worker a replay.
func TestFollowAsksSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := clitest.NewTask(task.Approving)
		f := startFollowing(t, ft, false)
		clitest.Pass(60 * time.Second)
		f.stop()
		f.end()
		ft.Mu.Lock()
		defer ft.Mu.Unlock()
		if ft.Queries < 10 || ft.Queries > 14 {
			t.Errorf("%d queries in a minute", ft.Queries)
		}
	})
}

// With --plan-only the following ends at the plan, which is shown and goes on waiting; nobody is asked by a key.
func TestFollowUntilPlan(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ft := clitest.NewTask(task.Planning)
			f := startFollowing(t, ft, terminal, FollowOptions{untilPlan: true})
			clitest.Pass(3 * time.Second)
			ft.Set(func(f *clitest.Task) {
				f.Status.Phase, f.Status.Plan = task.Approving, &task.Plan{Revision: 1, Summary: "One step"}
			})
			f.end()
			if !errors.Is(f.err, errPlanReady) || f.status.Plan == nil {
				t.Errorf("%v, %+v", f.err, f.status)
			}
			out := f.Errs.String()
			clitest.Wants(t, out, "Plan, revision 1: One step", "it waits until somebody decides", "longshift approve web-1")
			if strings.Contains(out, "[a]pprove") {
				t.Errorf("a key was asked for:\n%s", out)
			}
		})
	}
}

// A task that ends without a plan ends the following as ever.
func TestFollowUntilPlanEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := clitest.NewTask(task.Planning)
		f := startFollowing(t, ft, false, FollowOptions{untilPlan: true})
		clitest.Pass(3 * time.Second)
		ft.End(task.AlreadyDone)
		f.end()
		if f.err != nil || f.status.Outcome != task.AlreadyDone {
			t.Errorf("%v, %+v", f.err, f.status)
		}
	})
}

// --verbose shows lines whose notices are off, and what sessions do, each once.
func TestFollowVerbosely(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ft := clitest.NewTask(task.Executing)
			ft.Set(func(f *clitest.Task) { f.Status.Notify = &task.NotifySettings{} })
			ft.Log(clitest.Line(1, "commit", "a line of progress"))
			f := startFollowing(t, ft, false, FollowOptions{verbose: verbose})
			for range 2 {
				ft.Set(func(f *clitest.Task) {
					f.Beat = &signals.Heartbeat{Session: "s-1", N: 1, Role: task.Implementer, Activity: "Running go test"}
				})
				clitest.Pass(3 * time.Second)
			}
			ft.End(task.PullRequest)
			f.end()
			want := 0
			if verbose {
				want = 1
			}
			for _, text := range []string{"implementer  Running go test\n", "commit       a line of progress\n"} {
				if n := strings.Count(f.Errs.String(), text); n != want {
					t.Errorf("verbose %v: %q is there %d times:\n%s", verbose, text, n, f.Errs.String())
				}
			}
		})
	}
}

func TestFollowSuspended(t *testing.T) {
	suspend := func(f *clitest.Task) {
		f.Status.Phase, f.Status.Reason = task.Suspended, signals.ReasonSpecIssue
		f.Status.Detail, f.Status.NextAction = "which of the two?", "`resume` with a note"
	}
	for _, c := range []struct {
		name           string
		terminal, wait bool
		leaves         bool
	}{{"plain", false, false, true}, {"plain, told to wait", false, true, false}, {"terminal", true, false, false}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ft := clitest.NewTask(task.Planning)
				f := startFollowing(t, ft, c.terminal, FollowOptions{wait: c.wait})
				clitest.Pass(time.Second)
				ft.Set(suspend)
				clitest.Pass(5 * time.Second)
				clitest.Wants(t, strings.ReplaceAll(f.Errs.String(), "\r\n", "\n"),
					"Suspended: the specification is unclear\n  which of the two?\n  `resume` with a note\n  longshift resume web-1 ")
				if c.leaves {
					f.end()
					var silent term.Exit
					if !errors.As(f.err, &silent) || silent.Code != fault.ExitSuspended {
						t.Errorf("ended with %v", f.err)
					}
					return
				}
				ft.End(task.PullRequest)
				f.end()
				if f.err != nil || strings.Count(f.Errs.String(), "Suspended: ") != 1 {
					t.Errorf("%v\n%s", f.err, f.Errs.String())
				}
			})
		})
	}
}

func TestFollowInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFollowing(t, clitest.NewTask(task.Planning), true)
		clitest.Pass(2 * time.Second)
		f.stop()
		f.end()
		var silent term.Exit
		if !errors.As(f.err, &silent) || silent.Code != fault.ExitInterrupt {
			t.Errorf("ended with %v", f.err)
		}
		clitest.Wants(t, f.Errs.String(), "\r\x1b[Kinterrupted; the task continues:\n", "longshift status -f web-1", "longshift cancel web-1")
	})
}

// What a task ends with is found wherever it is: in the result, in a cancellation, in the details of a failure.
func TestFollowEndings(t *testing.T) {
	last := signals.Status{WorkflowID: "web-1", Phase: task.Ended, Outcome: task.Failed, Detail: "no such remote"}
	for _, c := range []struct {
		name    string
		closed  enumspb.WorkflowExecutionStatus
		ended   error
		outcome task.Outcome
		kind    fault.Kind
		text    string
	}{
		{"failed with its status", enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, temporal.NewApplicationErrorWithOptions("no such remote", string(fault.NotFound),
			temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{"check the name", last}}), task.Failed, fault.NotFound, "no such remote"},
		{"refused before it began", enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, temporal.NewApplicationErrorWithOptions("task is missing", string(fault.Input),
			temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{"say it"}}), task.Failed, fault.Input, "task is missing"},
		{"cancelled with its status", enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, temporal.NewCanceledError(signals.Status{WorkflowID: "web-1", Outcome: task.Cancelled}), task.Cancelled, "", ""},
		{"cancelled", enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, temporal.NewCanceledError(), task.Cancelled, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ft := clitest.NewTask(task.Preparing)
				ft.Set(func(f *clitest.Task) { f.Closed, f.Ended = c.closed, c.ended })
				f := startFollowing(t, ft, false)
				f.end()
				if f.status == nil || f.status.Outcome != c.outcome || !IsEnded(f.status) || f.status.WorkflowID != "web-1" {
					t.Errorf("status %+v", f.status)
				}
				if fault.KindOf(f.err) != c.kind || (f.err != nil && f.err.Error() != c.text) {
					t.Errorf("error %v of kind %s", f.err, fault.KindOf(f.err))
				}
			})
		})
	}
}

// A server that goes away just when the task ends is waited for: the result is not lost.
func TestFollowFetchesTheResultLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := clitest.NewTask(task.Publish)
		f := startFollowing(t, ft, false)
		clitest.Pass(time.Second)
		ft.Set(func(f *clitest.Task) {
			f.Closed, f.Ended = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, serviceerror.NewUnavailable("gone")
		})
		clitest.Pass(10 * time.Second)
		ft.Set(func(f *clitest.Task) { f.Ended, f.Status.Outcome = nil, task.PullRequest })
		f.end()
		if f.err != nil || f.status.Outcome != task.PullRequest {
			t.Errorf("%v, %+v", f.err, f.status)
		}
	})
}
