package inbound

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestNoUserIsNobody: a missing id must not match an empty entry of a list.
func TestNoUserIsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.People[channel.Slack] = People{Start: []string{""}, Approve: []string{""}, Commands: []string{""}}
	})
	f := w.task(task.Approving)
	w.directory("")
	w.handle(press("", f.button(signals.Approve)))
	w.handle(says("", "run fix it"))
	if len(f.got)+len(w.server.starts) != 0 || w.last().Reason != "not on the list" {
		t.Errorf("sent %v, started %v", f.got, w.server.starts)
	}
}

func TestAButtonAlwaysAnswersAStranger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.task(task.Approving).button(signals.Approve)
	for range 3 {
		if a := w.handle(press(nobody, token)); !strings.HasPrefix(a.Text, "Sorry, you are not on the list") {
			t.Errorf("answer %q", a.Text)
		}
	}
	w = newWorld(t, func(c *Config) { c.Rooms = map[string][]string{channel.Slack: {"C2"}} })
	f := w.task(task.Approving)
	if a := w.handle(press(boss, f.button(signals.Approve))); a.Text != notValid || len(f.got) != 0 || w.last().Reason != "the room is not served" {
		t.Errorf("in a room that is not served: %q", a.Text)
	}
}

// TestTheNewestConversationCounts: a task that was started again has a second one, which may name the same message.
func TestTheNewestConversationCounts(t *testing.T) {
	t.Parallel()
	for _, age := range []time.Duration{-time.Minute, time.Minute} {
		w := newWorld(t)
		f := w.task(task.Approving)
		w.server.add("other-talk", &fakeWorkflow{kind: signals.Conversation, started: f.conversation.started.Add(age), attrs: f.conversation.attrs,
			query: func(string, []any) (any, error) { return signals.TaskAnswer{Workflow: "other"}, nil }})
		w.server.add("other", &fakeWorkflow{kind: signals.CodingTask, query: planned,
			update: func(string, []any) (any, error) { return signals.Ack{Text: "ok"}, nil }})
		w.handle(replies(boss, "tell it"))
		want := taskID
		if age > 0 {
			want = "other"
		}
		if got := w.server.updates[0].WorkflowID; got != want {
			t.Errorf("%s later: sent to %s", age, got)
		}
	}
}

// TestPlainWordsWithoutTheRight: people who talk to each other in a thread are answered once that their words do nothing.
func TestPlainWordsWithoutTheRight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	first, second := w.handle(replies(starter, "use tabs")), w.handle(replies(starter, "or spaces"))
	if !strings.HasPrefix(first.Text, "Sorry, you may not use `tell`") || second.Text != "" || len(f.got) != 0 || len(w.acts) != 2 {
		t.Errorf("%q, %q, %v", first.Text, second.Text, w.acts)
	}
	ev := replies(starter, "or both")
	if ev.Direct = true; w.handle(ev).Text == "" {
		t.Error("what is said to us needs an answer")
	}
	ev = replies(boss, " ")
	if a := w.handle(ev); a.Text != "" || len(f.got) != 0 {
		t.Errorf("nothing said: %q", a.Text)
	}
}

func TestConversationsThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	f.conversation.query = func(string, []any) (any, error) { return signals.TaskAnswer{}, nil }
	if a := w.handle(replies(boss, "approve")); a.Text != "" || len(f.got) != 0 {
		t.Errorf("one that names no task: %q", a.Text)
	}
	if a := w.handle(says(boss, "approve")); !strings.Contains(a.Text, "none is shown in this room") {
		t.Errorf("here: %q", a.Text)
	}
	f.conversation.query = nil
	if a := w.handle(press(boss, f.button(signals.Approve))); a.Text != notValid {
		t.Errorf("a button of one that knows no such query: %q", a.Text)
	}
	f.conversation.query = func(string, []any) (any, error) { return "text", nil }
	if a := w.handle(press(boss, f.button(signals.Approve))); a.Text != notValid {
		t.Errorf("a button of one that says something else: %q", a.Text)
	}
	f.conversation.query = func(string, []any) (any, error) { return nil, serviceerror.NewWorkflowNotReady("x") }
	for _, ev := range []channel.Event{press(boss, f.button(signals.Approve)), anew(replies(boss, "approve")), anew(says(boss, "approve"))} {
		if _, err := w.handler.Handle(t.Context(), ev); fault.KindOf(err) != fault.Infra {
			t.Errorf("%s of one that has just begun: %v", ev.Kind, err)
		}
	}
	f.conversation.query, f.silent = f.answer, serviceerror.NewQueryFailed("x") // the state of the task is not known: its words are a message, not an edit
	if w.handle(replies(boss, "use tabs")); len(f.got) != 1 {
		t.Errorf("sent %v", f.got)
	}
	if tell, ok := f.got[0].(signals.TellRequest); !ok || tell.Text != "use tabs" {
		t.Errorf("sent %v", f.got)
	}
}

func TestDirectoryThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.directory().query = nil
	if a := w.handle(says(nobody, "list")); !strings.HasPrefix(a.Text, "Sorry, you are not on the list") {
		t.Errorf("answer %q", a.Text)
	}
	w.pass(bindingsAge)
	w.server.down = errDown
	if a := w.handle(says(nobody, "list")); a.Text != whoAreYou {
		t.Errorf("without a server: %q", a.Text)
	}
	w.server.down = nil
	if a := w.handle(says(nobody, "list")); a.Text != whoAreYou {
		t.Errorf("at once again, it is not asked again: %q", a.Text)
	}
	if a := w.handle(says(starter, "list")); a.Text != "No task is running." {
		t.Errorf("who is on a list needs no directory: %q", a.Text)
	}
}

func TestThreadNamesAnotherTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	w.server.add("other-7777", &fakeWorkflow{kind: signals.CodingTask, query: func(string, []any) (any, error) {
		return signals.Status{WorkflowID: "other-7777", Phase: task.Planning}, nil
	}})
	if a := w.handle(replies(boss, "status other-7777")); !strings.HasPrefix(a.Text, "**Planning**") {
		t.Errorf("status: %q", a.Text)
	}
	if a := w.handle(replies(boss, "approve --task 66666666")); !strings.HasPrefix(a.Text, "No task \"66666666\".") || len(f.got) != 0 {
		t.Errorf("approve: %q", a.Text)
	}
	if a := w.handle(replies(boss, "help")); !strings.HasPrefix(a.Text, "`run TEXT`") {
		t.Errorf("help: %q", a.Text)
	}
}
