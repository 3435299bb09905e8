package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

func approving(revision int) *fakeTask {
	ft := newFakeTask(task.Approving)
	ft.status.Plan = &task.Plan{Revision: revision, Summary: "One step"}
	ft.status.WaitingUntil = time.Now().Add(20 * time.Minute)
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
		{"other keys mean nothing", []string{"x\r ", "\x1b[B", "\x1bOA", "a"}, signals.Approve, signals.ApproveRequest{Revision: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ft := approving(2)
				f := startFollowing(t, ft, true)
				pass(2 * time.Second)
				for _, keys := range c.keys {
					f.press(keys)
				}
				pass(2 * time.Second)
				ft.end(task.PullRequest)
				f.end()
				if len(ft.updates) != 1 {
					t.Fatalf("%d updates", len(ft.updates))
				}
				u := ft.updates[0]
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
				balanced(t, f.errs.String())
			})
		})
	}
}

func TestPromptShowsCountdownAndText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := approving(1)
		f := startFollowing(t, ft, true)
		pass(10 * time.Second)
		f.press("eleave the API")
		pass(2 * time.Second)
		wants(t, f.errs.String(), "Plan, revision 1: One step", "<raw>", "⏳ Plan 1: [a]pprove, [e]dit, [r]eject · passes by itself in 20m 0s",
			"passes by itself in 19m 51s", "What is to change? (enter sends, esc goes back) leave the API_")
		ft.set(func(f *fakeTask) { f.status.Phase = task.Executing }) // the timer ran out while somebody typed
		pass(3 * time.Second)
		balanced(t, f.errs.String())
		wants(t, f.errs.String(), "<cooked>", "⚡ 1s Executing...")
		f.stop()
		f.end()
		if len(ft.updates) != 0 {
			t.Errorf("sent %v", ft.updates)
		}
	})
}

// The terminal has one reader, and what was typed before a question is no answer to it.
func TestKeyboardForgetsTypeAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := approving(1)
		f := startFollowing(t, ft, true)
		pass(2 * time.Second)
		f.press("x")
		ft.set(func(f *fakeTask) { f.status.Phase = task.Planning })
		pass(2 * time.Second)
		f.press("aaa\r")
		pass(time.Second)
		ft.set(func(f *fakeTask) { f.status.Phase, f.status.Plan = task.Approving, &task.Plan{Revision: 2} })
		pass(3 * time.Second)
		if len(ft.updates) != 0 {
			t.Errorf("sent %v", ft.updates)
		}
		f.press("a")
		pass(2 * time.Second)
		if len(ft.updates) != 1 || ft.updates[0].Args[0].(signals.ApproveRequest).Revision != 2 {
			t.Errorf("sent %v", ft.updates)
		}
		if f.f.p.keyboard() != f.f.keys {
			t.Error("a second keyboard")
		}
		f.stop()
		f.end()
		balanced(t, f.errs.String())
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
		{"the task ends", func(f *followed) { f.task.end(task.PullRequest) }, 0},
		{"the terminal goes away", func(f *followed) { f.keys.Close(); pass(2 * time.Second); f.task.end(task.PullRequest) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := startFollowing(t, approving(1), true)
				pass(2 * time.Second)
				c.end(f)
				f.end()
				var silent exit
				errors.As(f.err, &silent)
				if silent.code != c.code {
					t.Errorf("ended with %v", f.err)
				}
				out := f.errs.String()
				balanced(t, out)
				if i := strings.Index(out, "interrupted"); i >= 0 && strings.LastIndex(out, "<cooked>") > i {
					t.Error("the last words were said before the terminal was given back")
				}
			})
		})
	}
}

func TestPromptSaysWhatBecameOfADecision(t *testing.T) {
	refused := temporal.NewApplicationErrorWithOptions("plan revision 1 is stale: the current one is 2", string(fault.Conflict), temporal.ApplicationErrorOptions{NonRetryable: true})
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
				ft.update = c.err
				f := startFollowing(t, ft, true)
				pass(2 * time.Second)
				f.press("a")
				pass(500 * time.Millisecond)
				f.press("a") // a second press while the first is on its way counts for nothing
				pass(15 * time.Second)
				f.stop()
				f.end()
				wants(t, f.errs.String(), c.want)
				if c.err == context.DeadlineExceeded && (len(ft.updates) != 1 || len(ft.signals) != 1) {
					t.Errorf("%d updates, %d signals", len(ft.updates), len(ft.signals))
				}
			})
		})
	}
}
