package channeltest

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
)

func testSay(t *testing.T, f Fixture) {
	e := listen(t, f)
	const text = "status of task-1, please: \"now\" & <then>"
	id := f.Say(t, Say{Room: f.Room, User: f.User, Text: text, Direct: true})
	ev := e.next()
	inRoom(t, f, ev)
	if ev.Kind != channel.Said || ev.Text != text || !ev.Direct || ev.ReplyTo != "" || ev.Token != "" {
		t.Errorf("said %q, heard %+v", text, ev)
	}
	if id != "" && ev.Message != id {
		t.Errorf("message %q, heard %+v", id, ev)
	}
	e.nothing()
}

func testReply(t *testing.T, f Fixture) {
	e := listen(t, f)
	at, _ := asked(t, f, f.Room)
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "take the other way", ReplyTo: at.Message})
	ev := e.next()
	inRoom(t, f, ev)
	if ev.Kind != channel.Said || ev.ReplyTo != at.Message || ev.Text != "take the other way" {
		t.Errorf("replied to %q, heard %+v", at.Message, ev)
	}
}

func testSayInThread(t *testing.T, f Fixture) {
	e := listen(t, f)
	room := f.Thread(t)
	f.Say(t, Say{Room: room, User: f.User, Text: "status", Direct: true})
	ev := e.next()
	inRoom(t, f, ev)
	if ev.Room != room || ev.Text != "status" || !ev.Direct {
		t.Errorf("heard %+v, want it from %+v", ev, room)
	}
}

// testAside checks that conversations among people are ignored. A platform may not even deliver them.
func testAside(t *testing.T, f Fixture) {
	e := listen(t, f)
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "shall we have lunch?"})
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "status", Direct: true})
	ev := e.next()
	if ev.Text == "shall we have lunch?" {
		if ev.Direct {
			t.Errorf("heard as meant for us: %+v", ev)
		}
		ev = e.next()
	}
	if ev.Text != "status" || !ev.Direct {
		t.Errorf("heard %+v", ev)
	}
}

// testMachines checks that messages of programs are ignored, since two programs could answer each other for ever.
func testMachines(t *testing.T, f Fixture) {
	e := listen(t, f)
	f.Say(t, Say{Room: f.Room, By: Robot, Text: "approve task-1", Direct: true})
	f.Say(t, Say{Room: f.Room, By: Ourselves, Text: "approve task-1", Direct: true})
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "status", Direct: true})
	if ev := e.next(); ev.Text != "status" {
		t.Errorf("heard %+v", ev)
	}
	e.nothing()
}

func testAnswer(t *testing.T, f Fixture) {
	e := listen(t, f)
	at, buttons := asked(t, f, f.Room)
	shown := len(f.Shown(t, f.Room))
	shows := func(words string) {
		t.Helper()
		until(t, "the answer "+words, func() bool { return strings.Contains(strings.Join(f.Answers(t), "\n"), words) })
	}
	if f.Press != nil {
		e.say(channel.Answer{Text: "You approved **the plan**."})
		f.Press(t, at, buttons[0].Token, f.User)
		e.next()
		shows("You approved the plan.")
	}
	e.say(channel.Answer{Text: "Two tasks run, <!channel> & @someuser."})
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "status", Direct: true})
	e.next()
	shows("Two tasks run, <!channel> & @someuser.")
	if f.Mentions != nil {
		if n := f.Mentions(t); n != 0 {
			t.Errorf("%d live mentions in answers", n)
		}
	}
	if n := len(f.Shown(t, f.Room)); n != shown {
		t.Errorf("%d messages stand, %d before the answers", n, shown)
	}
}

func testBreak(t *testing.T, f Fixture) {
	e := listen(t, f)
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "first", Direct: true})
	if ev := e.next(); ev.Text != "first" {
		t.Errorf("heard %+v", ev)
	}
	f.Break(t)
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "second", Direct: true})
	ev := e.next()
	for ev.Text == "first" { // it may be redelivered if the acknowledgement was lost
		ev = e.next()
	}
	if ev.Text != "second" {
		t.Errorf("heard %+v", ev)
	}
}
