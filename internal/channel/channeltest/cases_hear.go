package channeltest

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

func presses(f Fixture) bool { return f.Press != nil }
func says(f Fixture) bool    { return f.Say != nil }

// asked posts a question with buttons.
func asked(t *testing.T, f Fixture, to task.Room) (task.MessageRef, []channel.Button) {
	t.Helper()
	m := message("k-ask", "Approve the plan?")
	m.Buttons = buttons()
	return post(t, f, to, m), m.Buttons
}

func inRoom(t *testing.T, f Fixture, e channel.Event) {
	t.Helper()
	if e.Room.Channel != f.Room.Channel || e.Room.ID != f.Room.ID {
		t.Errorf("room %+v, want %+v", e.Room, f.Room)
	}
	if e.User != f.User {
		t.Errorf("user %+v, want %+v", e.User, f.User)
	}
}

func testPress(t *testing.T, f Fixture) {
	e := listen(t, f)
	at, buttons := asked(t, f, f.Room)
	var ids []string
	for _, b := range buttons {
		f.Press(t, at, b.Token, f.User)
		ev := e.next()
		inRoom(t, f, ev)
		if ev.Kind != channel.Press || ev.Token != b.Token || ev.Message != at.Message || ev.Room.Thread != "" {
			t.Errorf("pressed %q at %q, heard %+v", b.Token, at.Message, ev)
		}
		ids = append(ids, ev.ID)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(buttons) {
		t.Errorf("different presses share an id: %q", ids)
	}
	e.nothing()
}

func testPressInThread(t *testing.T, f Fixture) {
	e := listen(t, f)
	room := f.Thread(t)
	at, buttons := asked(t, f, room)
	f.Press(t, at, buttons[1].Token, f.User)
	ev := e.next()
	inRoom(t, f, ev)
	if ev.Room != room || ev.Token != buttons[1].Token || ev.Message != at.Message {
		t.Errorf("heard %+v, want it from %+v", ev, room)
	}
}

func testRedelivery(t *testing.T, f Fixture) {
	e := listen(t, f)
	at, buttons := asked(t, f, f.Room)
	f.Press(t, at, buttons[0].Token, f.User)
	first := e.next()
	f.Redeliver(t)
	if second := e.next(); second.ID != first.ID || second.Token != first.Token || second.Kind != first.Kind {
		t.Errorf("delivered again: %+v, at first %+v", second, first)
	}
	if f.Say == nil {
		return
	}
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "status", Direct: true})
	first = e.next()
	f.Redeliver(t)
	if second := e.next(); second.ID != first.ID || second.Text != first.Text {
		t.Errorf("delivered again: %+v, at first %+v", second, first)
	}
}

// testRefused checks that an event is redelivered after the handler has failed.
func testRefused(t *testing.T, f Fixture) {
	e := listen(t, f)
	at, buttons := asked(t, f, f.Room)
	e.fail()
	f.Press(t, at, buttons[0].Token, f.User)
	first, second := e.next(), e.next()
	if first.ID != second.ID || second.Token != buttons[0].Token {
		t.Errorf("at first %+v, then %+v", first, second)
	}
}

// testHearError checks that an error for one event does not stop the listener, and that its text is not shown.
func testHearError(t *testing.T, f Fixture) {
	e := listen(t, f)
	at, buttons := asked(t, f, f.Room)
	e.fail()
	f.Press(t, at, buttons[0].Token, f.User)
	first := e.next()
	f.Press(t, at, buttons[1].Token, f.User)
	for ev := e.next(); ev.Token != buttons[1].Token; ev = e.next() {
		if ev.ID != first.ID {
			t.Fatalf("heard %+v", ev)
		}
	}
	if f.Answers == nil {
		return
	}
	for _, a := range f.Answers(t) {
		if strings.Contains(a, "not now") {
			t.Errorf("the error is shown: %q", a)
		}
	}
}

// testForm checks that a press that needs a text opens a form, or explains how to enter it.
func testForm(t *testing.T, f Fixture) {
	e := listen(t, f)
	at, buttons := asked(t, f, f.Room)
	e.say(channel.Answer{Form: &channel.Question{Title: "Edit the plan", Label: "What should change?", Hint: "Reply to the plan.",
		Token: "edit.task-1.2"}})
	f.Press(t, at, buttons[1].Token, f.User)
	e.next()
	if f.Fill == nil {
		until(t, "the hint", func() bool { return strings.Contains(strings.Join(f.Answers(t), "\n"), "Reply to the plan.") })
		return
	}
	e.say(channel.Answer{})
	text := "Use <b> & *stars*,\nin two lines."
	if f.OneLine {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	f.Fill(t, text, f.User)
	ev := e.next()
	inRoom(t, f, ev)
	if ev.Kind != channel.Form || ev.Token != "edit.task-1.2" || ev.Text != text {
		t.Errorf("filled in %q, heard %+v", text, ev)
	}
}
