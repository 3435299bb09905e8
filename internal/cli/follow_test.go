package cli

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

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

func line(n int, kind, text string) signals.LogLine {
	return signals.LogLine{N: n, Entry: task.Entry{Time: time.Now(), Kind: kind, Text: text}}
}

func (f *fakeTask) log(lines ...signals.LogLine) {
	f.set(func(f *fakeTask) { f.status.Log = append(f.status.Log, lines...) })
}

func (f *fakeTask) end(outcome task.Outcome) {
	f.set(func(f *fakeTask) {
		f.status.Outcome, f.status.Phase = outcome, task.Ended
		f.closed = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
}

// wants checks that the texts stand in the output in this order.
func wants(t *testing.T, out string, texts ...string) {
	t.Helper()
	rest := out
	for _, text := range texts {
		i := strings.Index(rest, text)
		if i < 0 {
			t.Fatalf("no %q (in this order) in:\n%s", text, out)
		}
		rest = rest[i+len(text):]
	}
}

func TestFollowPlainly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := newFakeTask(task.Planning)
		ft.log(line(1, "planning", "the planner starts"))
		f := startFollowing(t, ft, false)
		pass(3 * time.Second)
		ft.log(line(2, "NOTE", "two\nlines, and an escape \x1b[31mcode"))
		pass(3 * time.Second)
		ft.set(func(f *fakeTask) {
			f.status.Phase, f.status.Plan, f.status.WaitingUntil = task.Approving, &task.Plan{Revision: 1, Summary: "One step"}, time.Now().Add(20*time.Minute)
		})
		pass(3 * time.Second)
		ft.set(func(f *fakeTask) {
			f.status.Phase, f.status.WaitingUntil = task.Waiting, time.Date(2000, 1, 1, 18, 0, 0, 0, time.UTC)
		})
		pass(3 * time.Second)
		ft.set(func(f *fakeTask) { f.status.Log = []signals.LogLine{line(7, "ended", "pull_request")} })
		ft.end(task.PullRequest)
		f.end()
		if f.err != nil || f.status.Outcome != task.PullRequest {
			t.Errorf("%v, %+v", f.err, f.status)
		}
		out := f.errs.String()
		wants(t, out, "planning     the planner starts\n", "NOTE         two\n"+strings.Repeat(" ", 23)+"lines, and an escape [31mcode\n",
			"Plan, revision 1: One step", "Plan 1 waits for a decision; it passes by itself at ", ", in ", "longshift approve web-1",
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
		ft := newFakeTask(task.Preparing)
		f := startFollowing(t, ft, true)
		pass(2500 * time.Millisecond)
		ft.set(func(f *fakeTask) {
			f.status.Phase = task.Executing
			f.status.Usage = task.Usage{CostUSD: 1}
			f.status.Sessions = []signals.Session{{N: 1, ID: "s-1", Usage: task.Usage{CostUSD: 0.5}}}
			f.beat = &signals.Beat{Session: "s-1", N: 1, Role: task.Implementer, Activity: "Running Bash", Tools: 7, Started: time.Now().Add(-80 * time.Second), Usage: task.Usage{CostUSD: 0.62}}
		})
		pass(3 * time.Second)
		ft.set(func(f *fakeTask) { f.beat.Activity = "Reading " + strings.Repeat("漢", 100) })
		pass(2 * time.Second)
		ft.log(line(1, "commit", "a permanent line"))
		pass(2 * time.Second)
		ft.end(task.AlreadyDone)
		f.end()
		out := f.errs.String()
		wants(t, out, "\r\x1b[K⚡ 1s Preparing... · $0.00", "⚡ 1m 22s Running Bash... (7 tools) · $1.12", "a permanent line\r\n⚡")
		for _, shown := range strings.FieldsFunc(out, func(r rune) bool { return r == '\r' || r == '\n' }) {
			if n := cells(strings.TrimPrefix(shown, "\x1b[K")); strings.Contains(shown, "⚡") && n > 79 {
				t.Errorf("%d columns: %s", n, shown)
			}
		}
		if !strings.HasSuffix(out, "\r\x1b[K") {
			t.Errorf("the live line is left: %q", out[len(out)-60:])
		}
	})
}

func TestFollowWhenNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := newFakeTask(task.Executing)
		f := startFollowing(t, ft, false)
		pass(3 * time.Second)
		ft.set(func(f *fakeTask) { f.worker = context.DeadlineExceeded })
		pass(30 * time.Second)
		ft.set(func(f *fakeTask) { f.worker = nil })
		pass(10 * time.Second)
		ft.set(func(f *fakeTask) { f.server = serviceerror.NewUnavailable("connection refused") })
		pass(30 * time.Second)
		ft.set(func(f *fakeTask) { f.server = nil })
		pass(10 * time.Second)
		ft.end(task.PullRequest)
		f.end()
		if f.err != nil {
			t.Error(f.err)
		}
		out := f.errs.String()
		wants(t, out, "no worker is answering; the task is safe and goes on when one is back\n", "a worker answers again\n",
			"the Temporal server does not answer; the task is safe there; trying again\n", "the Temporal server answers again\n")
		if n := strings.Count(out, "\n"); n != 4 {
			t.Errorf("%d lines, want 4:\n%s", n, out)
		}
	})
}

// A task whose history stands still is asked about seldom: a query costs its worker a replay.
func TestFollowAsksSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := newFakeTask(task.Approving)
		f := startFollowing(t, ft, false)
		pass(60 * time.Second)
		f.stop()
		f.end()
		ft.mu.Lock()
		defer ft.mu.Unlock()
		if ft.queries < 10 || ft.queries > 14 {
			t.Errorf("%d queries in a minute", ft.queries)
		}
	})
}

func TestFollowSuspended(t *testing.T) {
	suspend := func(f *fakeTask) {
		f.status.Phase, f.status.Reason = task.Suspended, signals.ReasonSpecIssue
		f.status.Detail, f.status.NextAction = "which of the two?", "`resume` with a note"
	}
	for _, c := range []struct {
		name           string
		terminal, wait bool
		leaves         bool
	}{{"plain", false, false, true}, {"plain, told to wait", false, true, false}, {"terminal", true, false, false}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ft := newFakeTask(task.Planning)
				f := startFollowing(t, ft, c.terminal, func(f *follower) { f.wait = c.wait })
				pass(time.Second)
				ft.set(suspend)
				pass(5 * time.Second)
				wants(t, strings.ReplaceAll(f.errs.String(), "\r\n", "\n"), "Suspended: the specification is unclear\n  which of the two?\n  `resume` with a note\n  longshift resume web-1 ")
				if c.leaves {
					f.end()
					var silent exit
					if !errors.As(f.err, &silent) || silent.code != fault.ExitSuspended {
						t.Errorf("ended with %v", f.err)
					}
					return
				}
				ft.end(task.PullRequest)
				f.end()
				if f.err != nil || strings.Count(f.errs.String(), "Suspended: ") != 1 {
					t.Errorf("%v\n%s", f.err, f.errs.String())
				}
			})
		})
	}
}

func TestFollowInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFollowing(t, newFakeTask(task.Planning), true)
		pass(2 * time.Second)
		f.stop()
		f.end()
		var silent exit
		if !errors.As(f.err, &silent) || silent.code != fault.ExitInterrupt {
			t.Errorf("ended with %v", f.err)
		}
		wants(t, f.errs.String(), "\r\x1b[Kinterrupted; the task goes on:\n", "longshift status -f web-1", "longshift cancel web-1")
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
				ft := newFakeTask(task.Preparing)
				ft.set(func(f *fakeTask) { f.closed, f.ended = c.closed, c.ended })
				f := startFollowing(t, ft, false)
				f.end()
				if f.status == nil || f.status.Outcome != c.outcome || !isEnded(f.status) || f.status.WorkflowID != "web-1" {
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
		ft := newFakeTask(task.Publish)
		f := startFollowing(t, ft, false)
		pass(time.Second)
		ft.set(func(f *fakeTask) {
			f.closed, f.ended = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, serviceerror.NewUnavailable("gone")
		})
		pass(10 * time.Second)
		ft.set(func(f *fakeTask) { f.ended, f.status.Outcome = nil, task.PullRequest })
		f.end()
		if f.err != nil || f.status.Outcome != task.PullRequest {
			t.Errorf("%v, %+v", f.err, f.status)
		}
	})
}
