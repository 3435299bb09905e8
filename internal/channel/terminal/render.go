package terminal

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

const maxButtons = 3

// render formats a message: a header, the text, the countdown, and what to type. The text is indented, so that it can't
// imitate a header or buttons.
func render(at task.MessageRef, m channel.Message, now time.Time) (string, error) {
	text := body(m.Whole())
	if text == "" {
		return "", fault.New(fault.Input, "message %q has no text", m.Key)
	}
	if len(m.Buttons) > maxButtons {
		return "", fault.New(fault.Input, "message %q has %d buttons, at most %d are possible", m.Key, len(m.Buttons), maxButtons)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "── %s ──\n%s\n", header(at), text)
	if ends := channel.Countdown(m, now); ends != "" {
		fmt.Fprintf(&s, "\n%s\n", flat(ends))
	}
	var hints []string
	for i, b := range m.Buttons {
		hints = append(hints, fmt.Sprintf("[%d] %s", i+1, flat(b.Label)))
	}
	if len(hints) > 0 {
		fmt.Fprintf(&s, "\n%s\n", strings.Join(hints, "  "))
	}
	s.WriteString("\n")
	return s.String(), nil
}

// header names a message: its number, and its room if that is not obvious.
func header(at task.MessageRef) string {
	s := "#" + number(at.Message)
	if at.ID != "" {
		s += " " + flat(at.ID)
	}
	if at.Thread != "" {
		s += " in #" + flat(number(at.Thread))
	}
	return s
}

// number is the part of a message's id that people read and type.
func number(id string) string {
	n, _, _ := strings.Cut(id, ".")
	return n
}

// body renders Markdown as indented text; code has a bar on its left.
func body(markdown string) string {
	return channel.Join(channel.Read(escapes(markdown)), func(b channel.Block) string {
		indent := "  "
		if b.Kind == channel.Code {
			indent = "  │ "
		}
		return indent + strings.ReplaceAll(safe(channel.Plain([]channel.Block{b})), "\n", "\n"+indent)
	})
}

// escapes makes control characters visible, such as ^[ for escape, so that the operator sees attempts to use them.
func escapes(s string) string {
	var out strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case r == '\n' || r == '\t' || !unicode.IsControl(r):
			out.WriteRune(r)
		case r < 0x20:
			out.WriteString("^" + string(r+'@'))
		default:
			fmt.Fprintf(&out, "<U+%04X>", r)
		}
	}
	return out.String()
}

// safe drops everything that a terminal would interpret. All output must pass through it.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, s)
}

// flat is safe text on one line.
func flat(s string) string { return excerpt.OneLine(safe(escapes(s))) }
