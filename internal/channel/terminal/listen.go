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

// Operator is the id of who sits at the terminal, and of the room. There is only one.
const Operator = "operator"

var operator = channel.User{ID: Operator, Name: Operator}

// room is where the operator talks while no message has been shown.
var room = task.Room{Channel: channel.Terminal, ID: Operator}

// Listen hears the lines of the input, one after the other. A bare number presses that button of the latest message that has
// buttons; "#4 1" presses one of message 4, and "#4 words" replies to it. After a question the next line answers it. Everything
// else is said.
func (t *Terminal) Listen(ctx context.Context, hear channel.Handle) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case line := <-t.in.next():
			t.in.next() // another listener may wait for it
			t.take(ctx, hear, line)
		}
	}
}

// take passes a line on and shows what comes back. A terminal can't deliver again: whoever typed has to.
func (t *Terminal) take(ctx context.Context, hear channel.Handle, line string) {
	line = strings.TrimSpace(safe(line))
	if m := addressed.FindStringSubmatch(line); m != nil && t.lacks(m[1], m[2]) {
		_ = t.answer(channel.Answer{Text: fmt.Sprintf("Message #%s has no button %s.", m[1], m[2])})
		return
	}
	e, ok := t.event(line)
	if !ok {
		return
	}
	a, err := hear(ctx, e)
	if err != nil {
		a = channel.Answer{Text: "This could not be taken in now. Please type it again."}
	}
	_ = t.answer(a) // a screen that can't be written to can't be told about either
}

// addressed is a line that names a message.
var addressed = regexp.MustCompile(`^#(\d{1,9})\s+(.+)$`)

// event says what a line means.
func (t *Terminal) event(line string) (channel.Event, bool) {
	if line == "" {
		return channel.Event{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard++
	e := channel.Event{ID: fmt.Sprintf("terminal-%s-%d", t.events, t.heard), Kind: channel.Said, User: operator, Room: room,
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
	t.form = nil // whoever does something else has changed their mind
	return e, true
}

// pressable gives the latest message that has buttons, or nil.
func (t *Terminal) pressable() *shown {
	for i := len(t.shown) - 1; i >= 0; i-- {
		if len(t.shown[i].m.Buttons) > 0 {
			return t.shown[i]
		}
	}
	return nil
}

// lacks tells whether words mean a button that a message does not have, or no longer. As a reply such a number would change a plan.
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

func (t *Terminal) find(message string) *shown {
	for _, s := range t.shown {
		if s.place.Message == message {
			return s
		}
	}
	return nil
}
