package tasks

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func approving(revision int) *clitest.Task {
	ft := clitest.NewTask(task.Approving)
	ft.Status.Plan = &task.Plan{Revision: revision, Summary: "One step"}
	ft.Status.WaitingUntil = time.Now().Add(20 * time.Minute)
	return ft
}

// balanced checks that the terminal was given back as often as it was taken.
func balanced(t *testing.T, out string) {
	t.Helper()
	if raw, cooked := strings.Count(out, "<raw>"), strings.Count(out, "<cooked>"); raw != cooked || raw == 0 {
		t.Errorf("raw %d times, restored %d times", raw, cooked)
	}
}

func TestPromptDecides(t *testing.T) {
	for _, c := range []struct {
		name   string
		keys   []string // each is one read of the terminal
		update string
		want   any
	}{
		{"approve", []string{"a"}, signals.Approve, signals.ApproveRequest{Revision: 2}},
		{"reject", []string{"r"}, signals.Reject, signals.RejectRequest{Revision: 2}},
		{"edit", []string{"e", "one steq\x7fp, ünï", "\x1b[A", "漢\r"}, signals.Edit, signals.EditRequest{Revision: 2, Text: "one step, ünï漢"}},
		{"edit after changing one's mind", []string{"enonsense", "\x1b", "ebad idea\x15other words\x17things\r"}, signals.Edit, signals.EditRequest{Revision: 2, Text: "other things"}},
		{"edit by a pasted text", []string{"e", "one step:\rrun make\r\nagain", "\r"}, signals.Edit, signals.EditRequest{Revision: 2, Text: "one step: run make  again"}},
		{"no edit with a token", []string{"euse sk-very-secret\r", "euse the variable\r"}, signals.Edit, signals.EditRequest{Revision: 2, Text: "use the variable"}},
		{"other keys mean nothing", []string{"x\r ", "\x1b[B", "\x1bOA", "a"}, signals.Approve, signals.ApproveRequest{Revision: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ft := approving(2)
				f := startFollowing(t, ft, true)
				clitest.Pass(2 * time.Second)
				for _, keys := range c.keys {
					f.press(keys)
				}
				clitest.Pass(2 * time.Second)
				ft.End(task.PullRequest)
				f.end()
				if len(ft.Updates) != 1 {
					t.Fatalf("%d updates", len(ft.Updates))
				}
				u := ft.Updates[0]
				if u.UpdateName != c.update || u.UpdateID == "" {
					t.Errorf("update %s, id %q", u.UpdateName, u.UpdateID)
				}
				m := signals.Message{ID: u.UpdateID, By: "ann"}
				want := c.want
				switch w := want.(type) {
				case signals.ApproveRequest:
					w.Message = m
					want = w
				case signals.RejectRequest:
					w.Message = m
					want = w
				case signals.EditRequest:
					w.Message = m
					want = w
				}
				if u.Args[0] != want {
					t.Errorf("sent %+v, want %+v", u.Args[0], want)
				}
				balanced(t, f.Errs.String())
			})
		})
	}
}

func TestPromptShowsCountdownAndText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := approving(1)
		f := startFollowing(t, ft, true)
		clitest.Pass(10 * time.Second)
		f.press("eleave the API")
		clitest.Pass(2 * time.Second)
		clitest.Wants(t, f.Errs.String(), "Plan, revision 1: One step", "<raw>", "⏳ Plan 1: [a]pprove, [e]dit, [r]eject · is approved automatically in 20m",
			"is approved automatically in 19m 51s", "What should change? (enter sends, esc goes back) leave the API_")
		ft.Set(func(f *clitest.Task) { f.Status.Phase = task.Executing }) // the timer ran out while somebody typed
		clitest.Pass(3 * time.Second)
		balanced(t, f.Errs.String())
		clitest.Wants(t, f.Errs.String(), "<cooked>", "⚡ 1s Executing...")
		f.stop()
		f.end()
		if len(ft.Updates) != 0 {
			t.Errorf("sent %v", ft.Updates)
		}
	})
}

// The terminal has one reader, and what was typed before a question is no answer to it.
func TestKeyboardForgetsTypeAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := approving(1)
		f := startFollowing(t, ft, true)
		clitest.Pass(2 * time.Second)
		f.press("x")
		ft.Set(func(f *clitest.Task) { f.Status.Phase = task.Planning })
		clitest.Pass(2 * time.Second)
		f.press("aaa\r")
		clitest.Pass(time.Second)
		ft.Set(func(f *clitest.Task) { f.Status.Phase, f.Status.Plan = task.Approving, &task.Plan{Revision: 2} })
		clitest.Pass(3 * time.Second)
		if len(ft.Updates) != 0 {
			t.Errorf("sent %v", ft.Updates)
		}
		f.press("a")
		clitest.Pass(2 * time.Second)
		if len(ft.Updates) != 1 || ft.Updates[0].Args[0].(signals.ApproveRequest).Revision != 2 {
			t.Errorf("sent %v", ft.Updates)
		}
		if f.viewer.terminal.Keyboard() != f.f.plan.keys {
			t.Error("a second keyboard")
		}
		f.stop()
		f.end()
		balanced(t, f.Errs.String())
	})
}

// Every way out gives the terminal back.
func TestPromptRestoresTheTerminal(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*followed)
		code int
	}{
		{"Ctrl-C as a key", func(f *followed) { f.press("\x03") }, fault.ExitInterrupt},
		{"Ctrl-C while typing", func(f *followed) { f.press("eabc\x03") }, fault.ExitInterrupt},
		{"a signal", func(f *followed) { f.stop() }, fault.ExitInterrupt},
		{"the task ends", func(f *followed) { f.task.End(task.PullRequest) }, 0},
		{"the terminal goes away", func(f *followed) { f.keys.Close(); clitest.Pass(2 * time.Second); f.task.End(task.PullRequest) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := startFollowing(t, approving(1), true)
				clitest.Pass(2 * time.Second)
				c.end(f)
				f.end()
				var silent term.Exit
				errors.As(f.err, &silent)
				if silent.Code != c.code {
					t.Errorf("ended with %v", f.err)
				}
				out := f.Errs.String()
				balanced(t, out)
				if i := strings.Index(out, "interrupted"); i >= 0 && strings.LastIndex(out, "<cooked>") > i {
					t.Error("the last words were said before the terminal was given back")
				}
			})
		})
	}
}

func TestPromptSaysWhatBecameOfADecision(t *testing.T) {
	refused := temporal.NewApplicationErrorWithOptions("plan revision 1 is stale: the current one is 2", string(fault.Conflict),
		temporal.ApplicationErrorOptions{NonRetryable: true})
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"refused", refused, "approve      plan revision 1 is stale: the current one is 2\r\n"},
		{"no worker", context.DeadlineExceeded, "approve      delivered; takes effect when a worker is back\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ft := approving(1)
				ft.Update = c.err
				f := startFollowing(t, ft, true)
				clitest.Pass(2 * time.Second)
				f.press("a")
				clitest.Pass(500 * time.Millisecond)
				f.press("a") // a second press while the first is on its way counts for nothing
				clitest.Pass(15 * time.Second)
				f.stop()
				f.end()
				clitest.Wants(t, f.Errs.String(), c.want)
				if c.err == context.DeadlineExceeded && (len(ft.Updates) != 1 || len(ft.Signals) != 1) {
					t.Errorf("%d updates, %d signals", len(ft.Updates), len(ft.Signals))
				}
			})
		})
	}
}
