package whatsapp

import (
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Limits of the API in characters, and the number of messages that one may be split into.
const (
	maxText    = 4096
	maxBody    = 1024 // of a message with buttons
	maxLine    = 300  // of a line that this package adds: above the buttons of a long message, and the countdown
	maxButtons = 3
	maxLabel   = 20
	maxParts   = 8
)

// compose returns the requests for a message, in order.
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
	blocks, until := channel.Read(m.Whole()), w.until(m)
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

// notAll warns people who decide about a truncated text.
const notAll = "The text above is not all of it: the rest was left out."

// fit splits blocks into messages, and reports whether everything fits.
func fit(blocks []channel.Block) (parts [][]channel.Block, all bool) {
	if parts = channel.Fit(blocks, size, maxText, maxParts+1); len(parts) <= maxParts {
		return parts, true
	}
	return channel.Fit(blocks, size, maxText, maxParts), false
}

// telling returns a text message for each part.
func (p payload) telling(parts [][]channel.Block) (out []payload) {
	for _, part := range parts {
		if body := render(part); body != "" {
			p.Type, p.Text = "text", &text{Body: body}
			out = append(out, p)
		}
	}
	return out
}

// asking returns a message with buttons.
func (p payload) asking(text string, buttons []button) payload {
	p.Type, p.Interactive = "interactive", &interactive{Type: "button", Body: body{Text: text}, Action: action{Buttons: buttons}}
	return p
}

// lead is the text above the buttons of a split message: its heading or beginning, so that people see what the buttons
// are about, and the countdown.
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
		line = "What should be done?"
	}
	short := channel.Block{Kind: channel.Heading, Level: 1, Spans: []channel.Span{{Text: shorten(line, maxLine)}}}
	return render(append([]channel.Block{short}, until...))
}

// until is the countdown.
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

// shorten truncates a text to n characters as counted by channel.Length.
func shorten(s string, n int) string {
	for most := n; ; most-- {
		if short := channel.Shorten(s, most); channel.Length(short) <= n {
			return short
		}
	}
}
