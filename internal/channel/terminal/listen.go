package terminal

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

// Operator is the id of the only user, and of the room.
const Operator = "operator"

var operator = channel.User{ID: Operator, Name: Operator}

// room is the operator's room before any message was shown.
var room = task.Room{Channel: channel.Terminal, ID: Operator}

// Listen handles the lines of the input in order. A bare number presses a button of the latest message with buttons; "#4
// 1" presses one of message 4, and "#4 words" replies to it. The line after a question answers it. Other lines are
// messages.
func (t *Terminal) Listen(ctx context.Context, handle channel.Handle) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case line := <-t.in.next():
			t.in.next() // another listener may be waiting
			t.take(ctx, handle, line)
		}
	}
}

// take handles a line and shows the answer. A terminal can't redeliver, so after an error the operator has to type
// again.
func (t *Terminal) take(ctx context.Context, handle channel.Handle, line string) {
	line = strings.TrimSpace(safe(line))
	if m := addressed.FindStringSubmatch(line); m != nil && t.lacks(m[1], m[2]) {
		_ = t.answer(channel.Answer{Text: fmt.Sprintf("Message #%s has no button %s.", m[1], m[2])})
		return
	}
	e, ok := t.event(line)
	if !ok {
		return
	}
	a, err := handle(ctx, e)
	if err != nil {
		a = channel.Answer{Text: "This could not be taken in now. Please type it again."}
	}
	_ = t.answer(a) // there is no way to report that the terminal can't be written to
}

// addressed matches a line that names a message.
var addressed = regexp.MustCompile(`^#(\d{1,9})\s+(.+)$`)

func (t *Terminal) event(line string) (channel.Event, bool) {
	if line == "" {
		return channel.Event{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.received++
	e := channel.Event{ID: fmt.Sprintf("terminal-%s-%d", t.events, t.received), Kind: channel.Said, User: operator, Room: room,
		Direct: true, Text: line, At: t.now()}
	if n := len(t.shown); n > 0 {
		e.Room = t.shown[n-1].place.Room
		e.Room.Thread = ""
	}
	s, words := t.pressable(), line
	if m := addressed.FindStringSubmatch(line); m != nil {
		if named := t.find(m[1]); named != nil {
			s, words = named, m[2]
			e.Text, e.ReplyTo, e.Room = words, named.place.Message, named.place.Room
		}
	}
	if n, err := strconv.Atoi(words); err == nil && s != nil && 1 <= n && n <= len(s.m.Buttons) {
		e.Kind, e.Token, e.Room, e.Message = channel.Press, s.m.Buttons[n-1].Token, s.place.Room, s.place.Message
		e.Text, e.ReplyTo = "", ""
	} else if e.Message = e.ID; t.form != nil && e.ReplyTo == "" {
		e.Kind, e.Token = channel.Form, t.form.Token
	}
	t.form = nil // any other line cancels the question
	return e, true
}

// pressable returns the latest message with buttons, or nil.
func (t *Terminal) pressable() *shown {
	for i := len(t.shown) - 1; i >= 0; i-- {
		if len(t.shown[i].m.Buttons) > 0 {
			return t.shown[i]
		}
	}
	return nil
}

// lacks reports whether a text is the number of a button that the message does not have, or no longer has. As a reply it
// would change a plan.
func (t *Terminal) lacks(message, words string) bool {
	n, err := strconv.Atoi(words)
	if err != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.find(message)
	return s != nil && (n < 1 || n > len(s.m.Buttons))
}

func (t *Terminal) find(named string) *shown {
	for _, s := range t.shown {
		if number(s.place.Message) == named {
			return s
		}
	}
	return nil
}
