// Package plaintext removes from text what a terminal would interpret instead of showing: escape sequences, control
// characters, and bidirectional controls. The output of a task's programs is stored in files that people read with cat.
// The package knows neither secrets nor markup.
package plaintext

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of returns what a Writer would write. Line ends and tabs stay; a lone carriage return, which would overwrite the line,
// becomes a line end.
func Of(s string) string {
	if strings.IndexFunc(s, Steers) < 0 && utf8.ValidString(s) {
		return s
	}
	var c cleaner
	return string(c.end(c.take(nil, []byte(s))))
}

// Steers reports whether a terminal would interpret a character, or whether it changes the writing direction.
func Steers(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

// Writer passes on plain text, however the input is split into writes. Close flushes incomplete sequences and closes the
// underlying writer.
func Writer(to io.WriteCloser) io.WriteCloser { return &writer{to: to} }

type writer struct {
	to   io.WriteCloser
	c    cleaner
	room []byte
}

func (w *writer) Write(p []byte) (int, error) {
	w.room = w.c.take(w.room[:0], p)
	if _, err := w.to.Write(w.room); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *writer) Close() error {
	_, err := w.to.Write(w.c.end(w.room[:0]))
	if closed := w.to.Close(); err == nil {
		err = closed
	}
	return err
}

// state is the position within an escape sequence.
type state int

const (
	shown        state = iota // outside of a sequence
	escape                    // after ESC
	intermediate              // after ESC and intermediate characters
	control                   // after ESC [
	message                   // after ESC ] and similar: until the terminator or the end of the line
)

// cleaner processes text incrementally.
type cleaner struct {
	state  state
	before bool   // a carriage return was read, and the next character decides whether it is part of a line end
	part   []byte // an incomplete UTF-8 character
}

// take appends the text that can be passed on to out.
func (c *cleaner) take(out, text []byte) []byte {
	if len(c.part) > 0 {
		text = append(c.part, text...)
		c.part = nil
	}
	for len(text) > 0 {
		r, size := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			if !utf8.FullRune(text) {
				c.part = append([]byte(nil), text...)
				return out
			}
			r, size = utf8.DecodeRune(text)
		}
		out = c.rune(out, r)
		text = text[size:]
	}
	return out
}

// end flushes at the end of the input.
func (c *cleaner) end(out []byte) []byte {
	if c.before {
		out = append(out, '\n')
	}
	if len(c.part) > 0 && c.state == shown {
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	*c = cleaner{}
	return out
}

// rune processes one character. A character that is invalid in a sequence ends it and is shown.
func (c *cleaner) rune(out []byte, r rune) []byte {
	switch {
	case r == 0x1b:
		c.state = escape
		return out
	case r == '\n', r == '\r', r > 0x9f:
		if c.state != message || r <= '\r' {
			c.state = shown
		}
	}
	switch c.state {
	case escape:
		c.state = afterEscape(r)
	case intermediate:
		if r >= 0x30 && r <= 0x7e {
			c.state = shown
		}
	case control:
		if r >= 0x40 && r <= 0x7e {
			c.state = shown
		}
	case message:
		if r == '\a' || r == 0x9c {
			c.state = shown
		}
	default:
		return c.show(out, r)
	}
	return out
}

func afterEscape(r rune) state {
	switch {
	case r == '[':
		return control
	case strings.ContainsRune("]PX^_", r):
		return message
	case r >= 0x20 && r <= 0x2f:
		return intermediate
	}
	return shown
}

// show processes a character outside of sequences. C1 controls (from 0x80) begin sequences like ESC does.
func (c *cleaner) show(out []byte, r rune) []byte {
	if c.before && r != '\r' {
		c.before = false
		if out = append(out, '\n'); r == '\n' {
			return out
		}
	}
	switch {
	case r == '\r':
		c.before = true
	case r == 0x9b:
		c.state = control
	case r == 0x90, r == 0x98, r >= 0x9d && r <= 0x9f:
		c.state = message
	case !Steers(r):
		out = utf8.AppendRune(out, r)
	}
	return out
}
