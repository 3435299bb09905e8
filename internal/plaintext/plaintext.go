// Package plaintext takes out of text what a terminal would obey in place of showing it: escape sequences as a whole, control
// characters, and what turns the reading direction. What programs of a task print is kept in files, and people read these with cat. It
// looks at the text alone; what a secret is, or markup, it does not know.
package plaintext

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of gives the text that a Writer would write. Line ends and tabs stay; a lone carriage return, with which a line is written over, ends
// the line.
func Of(s string) string {
	if strings.IndexFunc(s, Steers) < 0 && utf8.ValidString(s) {
		return s
	}
	var c cleaner
	return string(c.end(c.take(nil, []byte(s))))
}

// Steers tells what a terminal would obey, or what turns the reading direction.
func Steers(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

// Writer passes on plain text, however the writes cut it. Close passes on what was kept back and closes the writer below.
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

// state is where in an escape sequence the text is.
type state int

const (
	shown        state = iota // outside of one
	escape                    // behind ESC
	intermediate              // behind ESC and signs that announce another
	control                   // behind ESC [
	message                   // behind ESC ] and its like: up to its end, or to the end of the line
)

// cleaner reads text piece by piece.
type cleaner struct {
	state  state
	before bool   // a carriage return was read, of which it is not known yet whether a line end follows
	part   []byte // the beginning of a character
}

// take adds to out what of the text can be passed on.
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

// end adds what was kept back, for there is no more.
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

// rune reads one character. A character that can't stand in a sequence ends it, and is shown.
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

// show adds a character that is in no sequence. The controls from 0x80 begin some as ESC does.
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
