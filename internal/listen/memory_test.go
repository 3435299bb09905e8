package listen

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// TestRedeliveryHitsNoOtherTask: the room shows another task by the time that the same message is delivered again.
func TestRedeliveryHitsNoOtherTask(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"cancel", "approve", "reject", "edit use tabs", "deny", "resume", "abandon", "allow 4f2a91c0", "tell use tabs", "approve acme-web", "cancel acme-web"} {
		w := newWorld(t)
		f := w.task(task.Approving)
		w.hear(says(boss, text))
		if len(f.got)+len(w.server.cancels) != 1 {
			t.Errorf("%q: sent %v, cancelled %v", text, f.got, w.server.cancels)
		}
		f.workflow.closed, f.talk.closed = completed, completed
		var other []any
		w.server.add("acme-web-other", &fakeWorkflow{kind: signals.CodingTask, run: "other-run", query: planned, update: func(_ string, args []any) (any, error) {
			other = append(other, args[0])
			return signals.Ack{Text: "ok"}, nil
		}})
		w.server.add(signals.ConversationID("other-run"), &fakeWorkflow{kind: signals.Conversation, attrs: map[string]any{signals.AttrThread: []string{"slack:" + room + ":7"}},
			query: func(string, []any) (any, error) {
				return signals.TaskAnswer{Workflow: "acme-web-other", Run: "other-run"}, nil
			}})
		w.hear(says(boss, text))
		if len(other) != 0 || len(w.server.cancels) > 1 {
			t.Errorf("%q delivered again hits another task: %v, %v", text, other, w.server.cancels)
		}
		ev := says(boss, text) // while the same words, said again, mean the task that is there now
		ev.ID = "ev-2"
		before := len(w.server.cancels)
		if w.hear(ev); len(other)+len(w.server.cancels)-before != 1 {
			t.Errorf("%q said again: %v, %v", text, other, w.server.cancels)
		}
	}
}

// TestRedeliveryMeansTheSamePlan: what could not be delivered comes again, and there is a new plan by then.
func TestRedeliveryMeansTheSamePlan(t *testing.T) {
	t.Parallel()
	for _, ev := range []channel.Event{says(boss, "approve"), replies(boss, "approve"), replies(boss, "use tabs")} {
		w := newWorld(t)
		f := w.task(task.Approving)
		f.refuse = serviceerror.NewUnavailable("no worker")
		if _, err := w.ear.Hear(t.Context(), ev); fault.KindOf(err) != fault.Infra {
			t.Fatal(err)
		}
		f.refuse, f.status.Plan = nil, &task.Plan{Revision: 3}
		f.talk.attrs[signals.AttrThread] = []string{} // nor is the task shown in the room any more
		w.hear(ev)
		if len(f.got) != 1 {
			t.Fatalf("%q delivered again is lost: %+v", ev.Text, w.last())
		}
		revision := 0
		switch r := f.got[0].(type) {
		case signals.ApproveRequest:
			revision = r.Revision
		case signals.EditRequest:
			revision = r.Revision
		}
		if revision != 2 {
			t.Errorf("%q of revision 2 delivered again became %+v", ev.Text, f.got[0])
		}
	}
}

// TestWhatWasRefusedStaysRefused: somebody who was told no has not said it again.
func TestWhatWasRefusedStaysRefused(t *testing.T) {
	t.Parallel()
	for text, change := range map[string]func(*world, *fakeTask) func(){
		"resume": func(_ *world, f *fakeTask) func() { // by the task
			f.refuse = no(fault.Conflict, "the task is not suspended", "")
			return func() { f.refuse = nil }
		},
		"approve": func(_ *world, f *fakeTask) func() { // there is no plan yet
			f.status.Plan = nil
			return func() { f.status.Plan = &task.Plan{Revision: 1} }
		},
		"abandon": func(w *world, f *fakeTask) func() { // it is not clear which task is meant
			f.talk.attrs[signals.AttrThread] = []string{}
			return func() { f.talk.attrs[signals.AttrThread] = []string{"slack:" + room + ":" + plan} }
		},
		"cancel acme-w": func(w *world, _ *fakeTask) func() { // two have the name
			other := w.server.add("acme-w-other", &fakeWorkflow{kind: signals.CodingTask})
			return func() { other.closed = completed }
		},
	} {
		w := newWorld(t)
		f := w.task(task.Approving)
		mend := change(w, f)
		first := w.hear(says(boss, text))
		mend()
		second := w.hear(says(boss, text))
		if len(f.got)+len(w.server.cancels) != 0 || first.Text == "" || second.Text != first.Text {
			t.Errorf("%q refused (%q), then delivered again (%q): sent %v", text, first.Text, second.Text, f.got)
		}
		ev := says(boss, text)
		ev.ID = "ev-2"
		if w.hear(ev); len(f.got)+len(w.server.cancels) != 1 {
			t.Errorf("%q said again: sent %v", text, f.got)
		}
	}
}

// TestRedeliveryNeedsTheRightAgain: memory says what was meant, not who may.
func TestRedeliveryNeedsTheRightAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	d := w.directory(bound)
	f.refuse = serviceerror.NewUnavailable("no worker")
	if _, err := w.ear.Hear(t.Context(), says(bound, "approve")); fault.KindOf(err) != fault.Infra {
		t.Fatal(err)
	}
	f.refuse, d.closed = nil, completed
	w.pass(boundFor)
	if w.hear(says(bound, "approve")); len(f.got) != 0 || w.last().Done {
		t.Errorf("one who may nothing any more: %v", f.got)
	}
	w.hear(says(boss, "approve"))
	ev := says(boss, "approve")
	ev.At = now.Add(-time.Hour)
	if w.hear(ev); w.last().Reason != tooLate {
		t.Errorf("an hour later: %+v", w.last())
	}
}

func TestCancelCountsOnce(t *testing.T) {
	t.Parallel()
	for _, ev := range []channel.Event{says(boss, "cancel"), replies(boss, "cancel"), says(boss, "cancel "+taskID)} {
		w := newWorld(t)
		w.task(task.Executing)
		first, second := w.hear(ev), w.hear(ev)
		if len(w.server.cancels) != 1 || first.Text == "" || second.Text != first.Text {
			t.Errorf("%d cancels, %q, %q", len(w.server.cancels), first.Text, second.Text)
		}
		ev.ID = "ev-2"
		if w.hear(ev); len(w.server.cancels) != 2 {
			t.Error("a second word does not count")
		}
	}
	w := newWorld(t)
	w.task(task.Executing)
	w.record = func(Act) error { return errors.New("disk full") }
	w.hear(says(boss, "cancel"))
	w.record = nil
	if w.hear(says(boss, "cancel")); len(w.server.cancels) != 1 {
		t.Error("what was not done can't be done any more")
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory()
	key := func(i int) memoryKey { return keyOf(channel.Event{ID: fmt.Sprint(i)}, "meaning") }
	const more = 500
	for i := range mostRemembered + more {
		m.keep(key(i), resolved{task: fmt.Sprint(i)})
		m.keep(key(i), resolved{task: "another"})
	}
	if len(m.kept) != mostRemembered || len(m.order) != mostRemembered {
		t.Fatalf("%d and %d are kept", len(m.kept), len(m.order))
	}
	for i := range mostRemembered + more {
		if r, ok := m.recall(key(i)); ok != (i >= more) || ok && r.task != fmt.Sprint(i) {
			t.Fatalf("%d: %v, %+v", i, ok, r)
		}
	}
	last := key(mostRemembered + more - 1)
	if !m.claim(last) || m.claim(last) {
		t.Error("a claim counts once")
	}
	if m.release(last); !m.claim(last) {
		t.Error("what is given back can be claimed")
	}
}
