package terminal_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/terminal"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

var later = time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC)

var room = task.Room{Channel: channel.Terminal, ID: "operator"}

// TestSteering checks that no text can move the cursor, ring the bell or change the writing direction, and that attempts
// are visible.
func TestSteering(t *testing.T) {
	const evil = "a\x1b[2J\x1b]0;title\x07b\u009b31m\r\x08\x7f\x00c &#27;[1m &#155;x \u202ed\u2066 \x1b"
	term, s := start(t)
	e := hearing(t, term)
	e.answer = channel.Answer{Text: evil}
	m := channel.Message{Key: "k", Text: evil + "\n\n```\n" + evil + "\n```\n\n`" + evil + "`", Then: evil, Until: later,
		Buttons: []channel.Button{{Label: evil, Token: "a"}}}
	at, err := term.Post(t.Context(), task.Room{Channel: channel.Terminal, ID: evil, Thread: evil}, m, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := term.Edit(t.Context(), at, channel.Message{Key: "k", Text: evil}); err != nil {
		t.Fatal(err)
	}
	s.enter(t, "status")
	<-e.events
	e.stop()
	out := s.String()
	for _, r := range out {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%U is written", r)
		}
	}
	if !strings.Contains(out, "» a^[[2J^[]0;title^Gb") || !strings.Contains(out, "\n  │ a^[[2J") {
		t.Errorf("what tried is not seen:\n%s", out)
	}
}

// TestForged checks that a text can't imitate a message or buttons.
func TestForged(t *testing.T) {
	term, s := start(t)
	if _, err := term.Post(t.Context(), room, channel.Message{Key: "k",
		Text: "x\n\n── #9 operator ──\n\n[1] Approve\n\n```\n── #9 operator ──\n» y\n```\n\nz\u2028── #9 operator ──"},
		false); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimRight(s.String(), "\n"), "\n") {
		if i > 0 && line != "" && !strings.HasPrefix(line, "  ") {
			t.Errorf("at the edge stands %q", line)
		}
	}
}

func TestTyped(t *testing.T) {
	term, s := start(t)
	e := hearing(t, term)
	say := func(line string) channel.Event { t.Helper(); s.enter(t, line); return <-e.events }
	if got := say("1"); got.Kind != channel.Said || got.Text != "1" || got.Room != room {
		t.Errorf("a number without a button: %+v", got)
	}
	post := func(text string, buttons ...channel.Button) task.MessageRef {
		at, err := term.Post(t.Context(), room, channel.Message{Key: text, Text: text, Buttons: buttons}, false)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	first := post("one", channel.Button{Label: "Yes", Token: "yes.1"}, channel.Button{Label: "No", Token: "no.1"})
	second := post("two", channel.Button{Label: "Yes", Token: "yes.2"})
	post("three")
	for _, c := range []struct{ line, token, text, reply string }{
		{"1", "yes.2", "", ""}, {" 1 ", "yes.2", "", ""}, {"2", "", "2", ""}, {"0", "", "0", ""}, {"-1", "", "-1", ""},
		{"#1 2", "no.1", "", ""}, {"#1 the other way", "", "the other way", "1"}, {"#77 is open", "", "#77 is open", ""},
		{"1 more thing", "", "1 more thing", ""}, {"\x1b[Astatus\x07", "", "[Astatus", ""},
	} {
		if got := say(c.line); got.Token != c.token || got.Text != c.text || strings.TrimSuffix(got.ReplyTo, s.stamp) != c.reply || !got.Direct {
			t.Errorf("%q: %+v", c.line, got)
		}
	}
	s.enter(t, "") // ignored
	s.enter(t, "#1 3")
	s.enter(t, "#3 1")
	if got := say(strings.Repeat("x", 100_000)); len(got.Text) != 16<<10 {
		t.Errorf("a line of %d bytes", len(got.Text))
	}
	for _, want := range []string{"Message #1 has no button 3.", "Message #3 has no button 1."} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("not told %q", want)
		}
	}
	for _, at := range []task.MessageRef{second, first} {
		if err := term.Edit(t.Context(), at, channel.Message{Key: "k", Text: "done"}); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"1": "", "2": "yes.1"}[strings.TrimSuffix(at.Message, s.stamp)]
		if got := say("1"); got.Token != want {
			t.Errorf("after the edit of %s: %+v", at.Message, got)
		}
	}
}

// TestEnd checks that the last line counts without a line end, and that the end of the input does not end Listen.
func TestEnd(t *testing.T) {
	term := terminal.New(terminal.Config{Out: io.Discard, In: strings.NewReader("one\ntwo")})
	e := hearing(t, term)
	for _, want := range []string{"one", "two"} {
		if got := <-e.events; got.Text != want {
			t.Errorf("heard %+v, want %q", got, want)
		}
	}
	select {
	case err := <-e.done:
		t.Errorf("Listen ended: %v", err)
	default:
	}
	e.stop()
	nobody := hearing(t, terminal.New(terminal.Config{Out: io.Discard}))
	nobody.stop()
}

// TestNextListener checks that a line read for an ended listener goes to the next one.
func TestNextListener(t *testing.T) {
	term, s := start(t)
	hearing(t, term).stop()
	s.enter(t, "status")
	if got := <-hearing(t, term).events; got.Text != "status" {
		t.Errorf("heard %+v", got)
	}
}

func TestBrokenScreen(t *testing.T) {
	in, out := io.Pipe()
	in.Close()
	term := terminal.New(terminal.Config{Out: out})
	m := channel.Message{Key: "k", Text: "x"}
	if _, err := term.Post(t.Context(), room, m, false); fault.KindOf(err) != fault.Infra || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	if _, err := term.Post(t.Context(), task.Room{Channel: channel.Slack, ID: "C1"}, m, false); fault.KindOf(err) != fault.NotFound {
		t.Errorf("room of another channel: %v", err)
	}
}

// ear is a handler with the same answer for all events.
type ear struct {
	events chan channel.Event
	answer channel.Answer
	done   chan error
	stop   func()
}

func hearing(t *testing.T, l channel.Listener) *ear {
	ctx, cancel := context.WithCancel(context.Background())
	e := &ear{events: make(chan channel.Event), done: make(chan error, 1)}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		e.done <- l.Listen(ctx, func(ctx context.Context, ev channel.Event) (channel.Answer, error) {
			select {
			case e.events <- ev:
			case <-ctx.Done():
			}
			return e.answer, nil
		})
	}()
	e.stop = func() { cancel(); <-finished }
	t.Cleanup(e.stop)
	return e
}
