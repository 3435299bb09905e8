package inbound

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// chat is a private message of a user on Telegram.
func chat(user, text string) channel.Event {
	return channel.Event{ID: "tg-1", Kind: channel.Said, User: channel.User{ID: user, Name: "Ada"},
		Room:   task.Room{Channel: channel.Telegram, ID: user, Thread: ""},
		Direct: true, Text: text, Message: "5"}
}

// codes makes a Directory that takes one code.
func (w *world) codes(code string) *fakeWorkflow {
	users := []string{}
	d := w.directory()
	d.query = func(string, []any) (any, error) {
		var all []signals.Binding
		for _, u := range users {
			all = append(all, signals.Binding{Channel: channel.Telegram, User: u})
		}
		return all, nil
	}
	d.update = func(name string, args []any) (any, error) {
		r, _ := args[0].(signals.BindRequest)
		if name != signals.Bind || r.Hash != signals.CodeHash(r.Channel, code) {
			return signals.BindAnswer{Text: "this code is not valid"}, nil
		}
		users = append(users, r.User)
		return signals.BindAnswer{Bound: true, Text: "welcome; you may do everything from here"}, nil
	}
	return d
}

func TestBind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.codes("ABCD-EFGH")
	if a := w.handle(chat("77", "list")); !strings.HasPrefix(a.Text, "Sorry, you are not on the list") {
		t.Errorf("before: %q", a.Text)
	}
	a := w.handle(chat("77", "/start abcd efgh"))
	if a.Text != "Welcome; you may do everything from here." {
		t.Errorf("answer %q", a.Text)
	}
	o := w.server.starts[0]
	if o.ID != signals.DirectoryID || o.TaskQueue != signals.Queue || o.WorkflowTaskTimeout != signals.WorkflowTaskTimeout {
		t.Errorf("started with %+v", o)
	}
	u := w.server.updates[0]
	want := []any{signals.BindRequest{Message: signals.Message{ID: "tg-1", By: "Ada"}, Channel: "telegram", Hash: signals.CodeHash("telegram", "ABCDEFGH"),
		User: "77", Name: "Ada", Room: task.Room{Channel: "telegram", ID: "77"}}}
	if diff := cmp.Diff(want, u.Args); diff != "" || u.WorkflowID != signals.DirectoryID || u.UpdateID != "tg-1" {
		t.Errorf("update %+v\n%s", u, diff)
	}
	if last := w.last(); !last.Done || last.Verb != command.Start || last.Reason != "bound" {
		t.Errorf("recorded %+v", last)
	}
	if a := w.handle(chat("77", "list")); a.Text != "No task is running." {
		t.Errorf("after: %q", a.Text)
	}
}

func TestWrongCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.codes("ABCD-EFGH")
	try := func(n int, user, code string) string {
		ev := chat(user, "start "+code)
		ev.ID = "tg-" + strings.Repeat("i", n+1) + user
		return w.handle(ev).Text
	}
	for i := range 5 {
		if a := try(i, "77", "WRON-GONE"); a != "This code is not valid." || w.last().Done || w.last().Reason != "wrong code" {
			t.Errorf("%q, recorded %+v", a, w.last())
		}
	}
	if a := try(5, "77", "ABCD-EFGH"); !strings.HasPrefix(a, "That were 5 wrong codes.") || len(w.server.updates) != 5 ||
		w.last().Reason != "too many wrong codes" {
		t.Errorf("the sixth gives %q, passed on %d", a, len(w.server.updates))
	}
	if a := try(6, "78", "ABCD-EFGH"); !strings.HasPrefix(a, "Welcome") {
		t.Errorf("another user gets %q", a)
	}
	w.pass(time.Hour)
	if a := try(7, "77", "ABCD-EFGH"); !strings.HasPrefix(a, "Welcome") {
		t.Errorf("an hour later: %q", a)
	}
	for _, a := range w.acts {
		if strings.Contains(strings.ToUpper(a.Reason+a.Task+a.Verb), "ABCD") || strings.Contains(a.Reason, "WRON") {
			t.Errorf("the record holds a code: %+v", a)
		}
	}
}

func TestCodesThatAreNotPassedOn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"start": "Sorry, you are not on the list", "/start": "Sorry, you are not on the list", "start x": "This is no code.", "start ab'cd": "This is no code.",
		"start with the tests of the login": "This is no code.", "start " + strings.Repeat("a", 65): "This is no code.",
	} {
		w := newWorld(t)
		w.codes("ABCD-EFGH")
		if a := w.handle(chat("77", text)); !strings.HasPrefix(a.Text, want) || len(w.server.updates) != 0 || w.last().Done {
			t.Errorf("%s: %q, recorded %+v", text, a.Text, w.last())
		}
	}
	w := newWorld(t)
	w.codes("ABCD-EFGH")
	ev := chat("77", "start ABCD-EFGH")
	ev.Room.ID = "-100200"
	if a := w.handle(ev); len(w.server.updates) != 0 || !strings.HasPrefix(a.Text, "Codes are taken in a private chat") {
		t.Errorf("in a group: %q", a.Text)
	}
	if a := w.handle(says(boss, "start ABCD-EFGH")); !strings.HasPrefix(a.Text, "Codes are taken in a private chat") || len(w.server.updates) != 0 {
		t.Errorf("in a channel: %q", a.Text)
	}
}

func TestBindWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.codes("ABCD-EFGH")
	w.server.down = serviceerror.NewUnavailable("x")
	for range 7 { // a code that was not checked is not a wrong one
		if a := w.handle(chat("77", "start ABCD-EFGH")); a.Text != whoAreYou {
			t.Fatal(a.Text)
		}
	}
	w.server.down = nil
	take := w.server.list[signals.DirectoryID].update
	w.server.list[signals.DirectoryID].update = func(string, []any) (any, error) { return nil, serviceerror.NewUnavailable("x") }
	w.pass(bindingsAge)
	for range 7 { // and does not hold up the events after it
		if a := w.handle(chat("77", "start ABCD-EFGH")); a.Text != whoAreYou {
			t.Fatal(a.Text)
		}
	}
	w.server.list[signals.DirectoryID].update = take
	if a := w.handle(chat("77", "start ABCD-EFGH")); !strings.HasPrefix(a.Text, "Welcome") {
		t.Errorf("answer %q", a.Text)
	}
}

func TestLimitsAreBounded(t *testing.T) {
	t.Parallel()
	q, l := replyLimit{until: map[string]time.Time{}}, newRateLimit(maxCodes, codesEvery, 0)
	for i := range maxNames + 10 {
		name := strings.Repeat("x", i%7) + time.Duration(i).String()
		q.first(name, now)
		l.take(name, now)
	}
	if len(q.until) != maxNames || len(l.times) != maxNames {
		t.Errorf("%d and %d names are kept", len(q.until), len(l.times))
	}
	if q.first("new", now) || l.take("new", now) || !q.first("new", now.Add(replyEvery)) || !l.take("new", now.Add(codesEvery)) {
		t.Error("a full memory has to say no, and to forget what is old")
	}
}
