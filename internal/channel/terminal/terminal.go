// Package terminal implements a channel for a machine without a chat: one operator reads messages on a terminal and
// types decisions. It writes plain text only, with control characters made visible. It knows no tasks and may not decide
// anything.
package terminal

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

var (
	_ channel.Channel  = (*Terminal)(nil)
	_ channel.Listener = (*Terminal)(nil)
)

type Config struct {
	Out io.Writer        // messages, each in a single Write
	In  io.Reader        // input lines; nil for none
	Now func() time.Time // nil for time.Now
}

// maxKept is how many messages can be edited and pressed; older ones have scrolled away.
const maxKept = 1000

// Terminal is the channel. It remembers the messages it has shown in memory.
type Terminal struct {
	out io.Writer
	now func() time.Time
	in  *input

	mu       sync.Mutex
	shown    []*shown          // oldest first
	number   int               // of the latest message
	form     *channel.Question // answered by the next line; nil for none
	events   string            // names this process, in the ids of its messages and events
	received int
}

// shown is a message on the screen.
type shown struct {
	place task.MessageRef
	m     channel.Message // as last written
}

// New returns a terminal channel. Its input is read from the first call of Listen on. A read can't be canceled: it may
// outlast Listen, and its line then goes to the next Listen.
func New(c Config) *Terminal {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Terminal{out: c.Out, now: c.Now, in: newInput(c.In), events: strconv.FormatInt(c.Now().UnixNano(), 36)}
}

// Post writes a message. Its id is the number in the header and this process, since the numbers begin anew with the next
// one. An earlier call has either written everything or failed, so again has no effect.
func (t *Terminal) Post(ctx context.Context, to task.Room, m channel.Message, again bool) (task.MessageRef, error) {
	if to.Channel != channel.Terminal {
		return task.MessageRef{}, fault.New(fault.NotFound, "room of channel %q on the terminal", to.Channel)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &shown{place: task.MessageRef{Room: to, Message: strconv.Itoa(t.number+1) + "." + t.events}}
	if err := t.write(ctx, s, m); err != nil {
		return task.MessageRef{}, err
	}
	t.number++
	if t.shown = append(t.shown, s); len(t.shown) > maxKept {
		t.shown = t.shown[1:]
	}
	return s.place, nil
}

// Edit writes the message again under its old header, since earlier output can't be changed. An unchanged message is not
// written. Messages of earlier processes are NotFound.
func (t *Terminal) Edit(ctx context.Context, at task.MessageRef, m channel.Message) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.shown {
		if s.place.Room == at.Room && s.place.Message == at.Message {
			return t.write(ctx, s, m)
		}
	}
	return fault.New(fault.NotFound, "message #%s is not on this terminal", number(at.Message)).
		WithHint("messages from before a restart can't be changed")
}

// write shows a message, unless it is unchanged.
func (t *Terminal) write(ctx context.Context, s *shown, m channel.Message) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Infra, "message %q was not written: %w", m.Key, err)
	}
	text, err := render(s.place, m, t.now())
	if err != nil {
		return err
	}
	if same(s.m, m) {
		return nil
	}
	bell := ""
	if m.Loud {
		bell = "\a"
	}
	if _, err := io.WriteString(t.out, bell+text); err != nil {
		return fault.New(fault.Infra, "write message %q to the terminal: %w", m.Key, err)
	}
	m.Buttons = slices.Clone(m.Buttons)
	s.m = m
	return nil
}

// same reports whether two messages look the same, apart from the remaining time.
func same(a, b channel.Message) bool {
	return a.Text == b.Text && slices.Equal(a.Buttons, b.Buttons) && a.Until.Equal(b.Until) && a.Then == b.Then
}

// answer writes the answer for the operator.
func (t *Terminal) answer(a channel.Answer) error {
	text := a.Text
	if a.Form != nil {
		text += "\n\n" + a.Form.Title + " Type it in one line."
		t.mu.Lock()
		t.form = a.Form
		t.mu.Unlock()
	}
	if text = body(text); text == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := fmt.Fprintf(t.out, "»%s\n\n", text[1:]); err != nil {
		return fault.New(fault.Infra, "write an answer to the terminal: %w", err)
	}
	return nil
}
