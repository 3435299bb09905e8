package whatsapp

import (
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// What the API takes at most, in characters, and how many messages one of ours may become.
const (
	maxText    = 4096
	maxBody    = 1024 // of a message with buttons
	maxLine    = 300  // of a line of our own: above the buttons of a long message, and of what happens by itself
	maxButtons = 3
	maxLabel   = 20
	maxParts   = 8
)

// compose makes the calls of a message, in the order in which they go out.
func (w *WhatsApp) compose(to task.Room, m channel.Message) ([]payload, error) {
	first, err := address(to)
	if err != nil {
		return nil, err
	}
	first.Key = m.Key
	buttons, err := replies(m.Buttons)
	if err != nil {
		return nil, err
	}
	blocks, until := channel.Read(m.Text), w.until(m)
	whole := render(append(blocks[:len(blocks):len(blocks)], until...))
	if strings.TrimSpace(channel.Plain(blocks)) == "" || whole == "" {
		return nil, fault.New(fault.Input, "a whatsapp message needs a text")
	}
	if len(buttons) > 0 && channel.Length(whole) <= maxBody {
		return []payload{first.asking(whole, buttons)}, nil
	}
	if len(buttons) == 0 {
		parts := channel.Fit(blocks, size, maxText-maxLine-len("\n\n__"), maxParts)
		if n := len(parts); n > 0 && len(until) > 0 {
			parts[n-1] = append(parts[n-1], until...)
		}
		return first.telling(parts), nil
	}
	parts, all := fit(blocks)
	if !all {
		until = append([]channel.Block{italic(notAll)}, until...)
	}
	return append(first.telling(parts), first.asking(lead(blocks, until), buttons)), nil
}

// notAll is for who decides on a text that was too long.
const notAll = "The text above is not all of it: the rest was left out."

// fit makes messages of blocks, and tells whether that was all of them.
func fit(blocks []channel.Block) (parts [][]channel.Block, all bool) {
	if parts = channel.Fit(blocks, size, maxText, maxParts+1); len(parts) <= maxParts {
		return parts, true
	}
	return channel.Fit(blocks, size, maxText, maxParts), false
}

// telling makes text messages, one of each part.
func (p payload) telling(parts [][]channel.Block) (out []payload) {
	for _, part := range parts {
		if body := render(part); body != "" {
			p.Type, p.Text = "text", &text{Body: body}
			out = append(out, p)
		}
	}
	return out
}

// asking makes a message with buttons.
func (p payload) asking(text string, buttons []button) payload {
	p.Type, p.Interactive = "interactive", &interactive{Type: "button", Body: body{Text: text}, Action: action{Buttons: buttons}}
	return p
}

// lead is what stands above the buttons when the text has gone out before: its heading or its beginning, so that people see
// what the buttons are about, and what happens by itself.
func lead(blocks, until []channel.Block) string {
	head := blocks[:1]
	for i, b := range blocks {
		if b.Kind == channel.Heading {
			head = blocks[i : i+1]
			break
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(channel.Plain(head)), "\n")
	if line == "" {
		line = "What is to be done?"
	}
	short := channel.Block{Kind: channel.Heading, Level: 1, Spans: []channel.Span{{Text: shorten(line, maxLine)}}}
	return render(append([]channel.Block{short}, until...))
}

// until says what happens by itself.
func (w *WhatsApp) until(m channel.Message) []channel.Block {
	line := shorten(channel.Countdown(m, w.now()), maxLine)
	if line == "" {
		return nil
	}
	return []channel.Block{italic(line)}
}

func italic(line string) channel.Block {
	return channel.Block{Kind: channel.Paragraph, Spans: []channel.Span{{Text: line, Italic: true}}}
}

// shorten cuts a text to n characters as channel.Length counts them.
func shorten(s string, n int) string {
	for most := n; ; most-- {
		if short := channel.Shorten(s, most); channel.Length(short) <= n {
			return short
		}
	}
}
