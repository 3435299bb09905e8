package inbound

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestRedeliveryHitsNoOtherTask: the room shows another task by the time that the same message is delivered again.
func TestRedeliveryHitsNoOtherTask(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"cancel", "approve", "reject", "edit use tabs", "deny", "resume", "abandon", "allow 4f2a91c0", "tell use tabs",
		"approve acme-web", "cancel acme-web"} {
		w := newWorld(t)
		f := w.task(task.Approving)
		w.handle(says(boss, text))
		if len(f.got)+len(w.server.cancels) != 1 {
			t.Errorf("%q: sent %v, cancelled %v", text, f.got, w.server.cancels)
		}
		f.workflow.closed, f.conversation.closed = completed, completed
		var other []any
		w.server.add("acme-web-other", &fakeWorkflow{kind: signals.CodingTask, run: "other-run", query: planned, update: func(_ string, args []any) (any, error) {
			other = append(other, args[0])
			return signals.Ack{Text: "ok"}, nil
		}})
		w.server.add(signals.ConversationID("other-run"), &fakeWorkflow{kind: signals.Conversation,
			attrs: map[string]any{signals.AttrThread: []string{"slack:" + room + ":7"}},
			query: func(string, []any) (any, error) {
				return signals.TaskAnswer{Workflow: "acme-web-other", Run: "other-run"}, nil
			}})
		w.handle(says(boss, text))
		if len(other) != 0 || len(w.server.cancels) > 1 {
			t.Errorf("%q delivered again hits another task: %v, %v", text, other, w.server.cancels)
		}
		ev := says(boss, text) // the same text in a new message is for the task that is shown now
		ev.ID = "ev-2"
		before := len(w.server.cancels)
		if w.handle(ev); len(other)+len(w.server.cancels)-before != 1 {
			t.Errorf("%q said again: %v, %v", text, other, w.server.cancels)
		}
	}
}

// TestRedeliveryMeansTheSamePlan: an event is delivered again after an outage, when there is a new plan.
func TestRedeliveryMeansTheSamePlan(t *testing.T) {
	t.Parallel()
	for _, ev := range []channel.Event{says(boss, "approve"), replies(boss, "approve"), replies(boss, "use tabs")} {
		w := newWorld(t)
		f := w.task(task.Approving)
		f.refuse = serviceerror.NewUnavailable("no worker")
		if _, err := w.handler.Handle(t.Context(), ev); fault.KindOf(err) != fault.Infra {
			t.Fatal(err)
		}
		f.refuse, f.status.Plan = nil, &task.Plan{Revision: 3}
		f.conversation.attrs[signals.AttrThread] = []string{} // and the task is not shown in the room any more
		w.handle(ev)
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

// TestWhatWasRefusedStaysRefused: a redelivery is not a new request of its author.
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
		"abandon": func(w *world, f *fakeTask) func() { // no task is shown in the room
			f.conversation.attrs[signals.AttrThread] = []string{}
			return func() { f.conversation.attrs[signals.AttrThread] = []string{"slack:" + room + ":" + plan} }
		},
		"cancel acme-w": func(w *world, _ *fakeTask) func() { // two have the name
			other := w.server.add("acme-w-other", &fakeWorkflow{kind: signals.CodingTask})
			return func() { other.closed = completed }
		},
	} {
		w := newWorld(t)
		f := w.task(task.Approving)
		mend := change(w, f)
		first := w.handle(says(boss, text))
		mend()
		second := w.handle(says(boss, text))
		if len(f.got)+len(w.server.cancels) != 0 || first.Text == "" || second.Text != first.Text {
			t.Errorf("%q refused (%q), then delivered again (%q): sent %v", text, first.Text, second.Text, f.got)
		}
		ev := says(boss, text)
		ev.ID = "ev-2"
		if w.handle(ev); len(f.got)+len(w.server.cancels) != 1 {
			t.Errorf("%q said again: sent %v", text, f.got)
		}
	}
}

// TestRedeliveryNeedsTheRightAgain: the cache stores what was meant, not who may do it.
func TestRedeliveryNeedsTheRightAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	d := w.directory(bound)
	f.refuse = serviceerror.NewUnavailable("no worker")
	if _, err := w.handler.Handle(t.Context(), says(bound, "approve")); fault.KindOf(err) != fault.Infra {
		t.Fatal(err)
	}
	f.refuse, d.closed = nil, completed
	w.pass(bindingsAge)
	if w.handle(says(bound, "approve")); len(f.got) != 0 || w.last().Done {
		t.Errorf("one who may nothing any more: %v", f.got)
	}
	w.handle(says(boss, "approve"))
	ev := says(boss, "approve")
	ev.At = now.Add(-time.Hour)
	if w.handle(ev); w.last().Reason != cameLate {
		t.Errorf("an hour later: %+v", w.last())
	}
}

func TestCancelCountsOnce(t *testing.T) {
	t.Parallel()
	for _, ev := range []channel.Event{says(boss, "cancel"), replies(boss, "cancel"), says(boss, "cancel "+taskID)} {
		w := newWorld(t)
		w.task(task.Executing)
		first, second := w.handle(ev), w.handle(ev)
		if len(w.server.cancels) != 1 || first.Text == "" || second.Text != first.Text {
			t.Errorf("%d cancels, %q, %q", len(w.server.cancels), first.Text, second.Text)
		}
		ev.ID = "ev-2"
		if w.handle(ev); len(w.server.cancels) != 2 {
			t.Error("a second word does not count")
		}
	}
	w := newWorld(t)
	w.task(task.Executing)
	w.record = func(Act) error { return errors.New("disk full") }
	w.handle(says(boss, "cancel"))
	w.record = nil
	if w.handle(says(boss, "cancel")); len(w.server.cancels) != 1 {
		t.Error("what was not done can't be done any more")
	}
}

func TestRecentIsBounded(t *testing.T) {
	t.Parallel()
	m := newRecent()
	key := func(i int) eventKey { return keyOf(channel.Event{ID: fmt.Sprint(i)}, forTask) }
	const more = 500
	for i := range maxRecent + more {
		m.put(key(i), resolution{repository: fmt.Sprint(i)})
		m.put(key(i), resolution{repository: "another"})
	}
	if len(m.entries) != maxRecent || len(m.order) != maxRecent {
		t.Fatalf("%d and %d are kept", len(m.entries), len(m.order))
	}
	for i := range maxRecent + more {
		if r, ok := m.get(key(i)); ok != (i >= more) || ok && r.repository != fmt.Sprint(i) {
			t.Fatalf("%d: %v, %+v", i, ok, r)
		}
	}
	last := key(maxRecent + more - 1)
	if !m.claim(last) || m.claim(last) {
		t.Error("a claim counts once")
	}
	if m.release(last); !m.claim(last) {
		t.Error("what is given back can be claimed")
	}
}
