// Package terminal is the channel of a machine without a chat: one operator reads messages on a terminal and types decisions. It
// writes plain text only: what would steer the terminal is shown as signs. It knows no task and decides nothing.
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

// Config says where the terminal is.
type Config struct {
	Out io.Writer        // messages go here, each in one call of Write
	In  io.Reader        // lines come from here; nil for nobody who types
	Now func() time.Time // nil for the clock
}

// maxKept is how many messages can be changed and pressed; older ones have long left the screen.
const maxKept = 1000

// Terminal is the channel. It remembers what it has shown, for as long as it lives.
type Terminal struct {
	out io.Writer
	now func() time.Time
	in  *input

	mu     sync.Mutex
	shown  []*shown          // oldest first
	number int               // of the latest message
	form   *channel.Question // the next line answers it; nil for none
	events string            // begins the ids of this process's events
	heard  int
}

// shown is a message on the screen.
type shown struct {
	place task.MessageRef
	m     channel.Message // as it was written last
}

// New gives the terminal's channel. Its input is read from the first call of Listen on. A read can't be ended: one may go on
// after Listen has returned, and its line then goes to the next Listen.
func New(c Config) *Terminal {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Terminal{out: c.Out, now: c.Now, in: newInput(c.In), events: strconv.FormatInt(c.Now().UnixNano(), 36)}
}

// Post writes a message. Its id is a number that the header shows. An earlier call has either written it all or failed, so again
// means nothing here.
func (t *Terminal) Post(ctx context.Context, to task.Room, m channel.Message, again bool) (task.MessageRef, error) {
	if to.Channel != channel.Terminal {
		return task.MessageRef{}, fault.New(fault.NotFound, "room of channel %q on the terminal", to.Channel)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &shown{place: task.MessageRef{Room: to, Message: strconv.Itoa(t.number + 1)}}
	if err := t.write(ctx, s, m); err != nil {
		return task.MessageRef{}, err
	}
	t.number++
	if t.shown = append(t.shown, s); len(t.shown) > maxKept {
		t.shown = t.shown[1:]
	}
	return s.place, nil
}

// Edit writes the message anew under its old header, for a screen can't be changed above. What stands so already is not written.
// A message from before a restart is NotFound.
func (t *Terminal) Edit(ctx context.Context, at task.MessageRef, m channel.Message) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.shown {
		if s.place == at {
			return t.write(ctx, s, m)
		}
	}
	return fault.New(fault.NotFound, "message %q is not on this terminal", at.Message).WithHint("messages from before a restart can't be changed")
}

// write shows a message, unless it stands so already.
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

// same tells whether two messages look the same, however much time there is left.
func same(a, b channel.Message) bool {
	return a.Text == b.Text && slices.Equal(a.Buttons, b.Buttons) && a.Until.Equal(b.Until) && a.Then == b.Then
}

// answer writes what the operator gets to see.
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
