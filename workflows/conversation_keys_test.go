package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// The server takes 2 KiB of a search attribute and ends a workflow that gives it more. What everything hangs on comes first, then
// the newest.
func TestThreadKeysStayBelowTheLimit(t *testing.T) {
	var rooms []*room
	for n := range mostRooms {
		r := &room{Room: task.Room{Channel: "slack", ID: fmt.Sprintf("C0123456789%02d", n)}}
		r.Card = &task.MessageRef{Room: r.Room, Message: fmt.Sprintf("17600000%02d.000100", n)}
		for i := range mostKept {
			r.Messages = append(r.Messages, signals.RoomMessage{Ref: task.MessageRef{Room: r.Room, Message: fmt.Sprintf("17600000%02d.%06d", n, i)}})
		}
		r.Messages = append(r.Messages, signals.RoomMessage{}) // never shown
		rooms = append(rooms, r)
	}
	keys := threadKeys(rooms)
	data, err := json.Marshal(keys)
	if err != nil || len(data) > 2048 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	for _, r := range rooms {
		if !slices.Contains(keys, signals.ThreadKey(r.Room, r.Card.Message)) {
			t.Errorf("the message that everything hangs on in %s is not listed", r.ID)
		}
	}
	one := threadKeys(rooms[:1])
	if newest := rooms[0].Messages[mostKept-1].Ref; !slices.Contains(one, signals.ThreadKey(newest.Room, newest.Message)) ||
		slices.Contains(one, signals.ThreadKey(rooms[0].Room, "")) {
		t.Errorf("listed %v", one)
	}
}

// People answer whichever part of a long message they like. A new one's parts come before the older messages.
func TestThreadKeysOfParts(t *testing.T) {
	r := &room{Room: task.Room{Channel: "telegram", ID: "-100"}}
	r.Card = &task.MessageRef{Room: r.Room, Message: "2", Parts: []string{"1"}}
	for _, ref := range []task.MessageRef{{Room: r.Room, Message: "3"}, {Room: r.Room, Message: "6", Parts: []string{"4", "5"}}} {
		r.Messages = append(r.Messages, signals.RoomMessage{Ref: ref, Notice: signals.Notice{From: ref.Message}})
	}
	var want []string
	for _, id := range []string{"2", "6", "4", "5", "3", "1"} {
		want = append(want, signals.ThreadKey(r.Room, id))
	}
	if got := threadKeys([]*room{r}); !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	r.Messages[1].Ref.ID = "-200" // the group has become a supergroup
	if got := threadKeys([]*room{r}); !slices.Contains(got, "telegram:-200:6") || slices.Contains(got, "telegram:-100:6") {
		t.Errorf("listed %v after a move", got)
	}
	r.Messages[1].Ref.ID = r.ID
	c := &conversation{rooms: []*room{r}}
	if a := c.about(signals.AboutQuery{Room: r.Room, Message: "4"}); a.State != signals.TokenLive || a.Workflow != "6" {
		t.Errorf("the first part is about %+v", a)
	}
}
