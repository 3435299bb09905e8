package inbound

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestRunInATopic: a topic of a Telegram forum is a room, not the thread of the first task that is shown there.
func TestRunInATopic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.People[channel.Telegram] = c.People[channel.Slack] })
	f := w.task(task.Approving)
	f.conversation.attrs[signals.AttrThread] = []string{"telegram:-100:5", "telegram:-100:6"} // the topic, and the card in it
	topic := func(text string) channel.Event {
		ev := says(boss, text)
		ev.Room, ev.Message = task.Room{Channel: channel.Telegram, ID: "-100", Thread: "5"}, "7"
		return ev
	}
	for _, ev := range []channel.Event{topic("run fix it"), anew(topic("run fix that"))} {
		if a := w.handle(ev); strings.Contains(a.Text, "belongs to task") {
			t.Errorf("answer %q", a.Text)
		}
	}
	if len(w.server.inputs) != 2 {
		t.Fatalf("%d tasks began", len(w.server.inputs))
	}
	if in, _ := w.server.inputs[1].(task.Input); in.Room == nil || in.Room.Thread != "5" {
		t.Errorf("it is shown in %+v", in.Room)
	}
	w.handle(anew(anew(topic("thanks, that looks good"))))
	reply := topic("one commit only")
	reply.ID, reply.ReplyTo = "ev-reply", "6"
	w.handle(reply)
	if len(f.got) != 1 || f.got[0] != (signals.EditRequest{Message: signals.Message{ID: "ev-reply", By: "Ada"}, Revision: 2, Text: "one commit only"}) {
		t.Errorf("the task was told %+v", f.got)
	}
}
