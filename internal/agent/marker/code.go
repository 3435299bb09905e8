package marker

import "strings"

// code tracks enough Markdown to know what is code: fences of ``` or ~~~ on their own line, and inline code, which ends with its line
// here. Its size is constant.
type code struct {
	prev  byte // the last byte, 0 at the start
	fresh bool // only blanks on this line so far

	run      int  // length of the current run of ` or ~
	runByte  byte //
	runFresh bool // the run is the first thing on its line

	fence     int // length of the open fence, 0 for none
	fenceByte byte
	info      bool // still on the fence's first line
	closing   bool // a closing run was read; only blanks may follow

	inline  int  // length of the run that has opened inline code, 0 for none
	watched bool // the caller waits for the end of this code; false once it has ended
	broken  bool // watched inline code was not closed on its line, so it was not code
}

func newCode() code { return code{fresh: true} }

// inside reports whether the current position is in code.
func (c *code) inside() bool {
	c.endRun()
	return c.fence > 0 || c.inline > 0
}

// free reports whether a marker can start here: outside of code, and not inside a word or quotes.
func (c *code) free() bool {
	if c.inside() {
		return false
	}
	switch c.prev {
	case 0, ' ', '\t', '\r', '\n', '>', '.', ':', ',', ';', '!', '?', ')', ']', '*', '-':
		return true
	}
	return false
}

// afterTag records that a marker has ended here.
func (c *code) afterTag() {
	c.endRun()
	c.prev, c.fresh, c.closing = '>', false, false
}

// advance moves over s.
func (c *code) advance(s string) {
	for s != "" {
		if b := s[0]; b == '`' || b == '~' {
			n := len(s) - len(strings.TrimLeft(s, s[:1]))
			c.ticks(b, n)
			s = s[n:]
			continue
		}
		i := tick(s)
		c.endRun()
		c.plain(s[:i])
		s = s[i:]
	}
}

// tick returns the index of the first ` or ~ in s, or its length.
func tick(s string) int {
	if i := strings.IndexByte(s, '`'); i >= 0 {
		s = s[:i]
	}
	if i := strings.IndexByte(s, '~'); i >= 0 {
		return i
	}
	return len(s)
}

// ticks continues a run with n bytes b.
func (c *code) ticks(b byte, n int) {
	if c.run > 0 && c.runByte != b {
		c.endRun()
	}
	if c.run == 0 {
		c.runByte, c.runFresh = b, c.fresh
		c.closing = false
	}
	c.run += n
	c.prev, c.fresh = b, false
}

// endRun interprets the run that has just ended.
func (c *code) endRun() {
	n := c.run
	c.run = 0
	switch {
	case n == 0:
	case c.fence > 0 && c.info && c.runByte == '`' && c.fenceByte == '`': // ```a``` b is inline code
		c.inline, c.fence, c.info = c.fence, 0, false
		if n == c.inline {
			c.inline, c.watched = 0, false
		}
	case c.fence > 0:
		c.closing = c.runFresh && c.runByte == c.fenceByte && n >= c.fence
	case c.inline > 0:
		if c.runByte == '`' && n == c.inline {
			c.inline, c.watched = 0, false
		}
	case c.runFresh && n >= 3:
		c.fence, c.fenceByte, c.info = n, c.runByte, true
	case c.runByte == '`':
		c.inline = n
	}
}

// plain moves over text without ` and ~.
func (c *code) plain(s string) {
	nl := strings.IndexByte(s, '\n')
	if c.closing {
		line := s
		if nl >= 0 {
			line = s[:nl]
		}
		if strings.Trim(line, " \t\r") != "" {
			c.closing = false
		} else if nl >= 0 {
			c.fence, c.closing, c.watched = 0, false, false
		}
	}
	c.prev = s[len(s)-1]
	if nl >= 0 {
		if c.inline > 0 && c.watched {
			c.broken, c.watched = true, false
		}
		c.inline, c.info, c.fresh = 0, false, true
		s = s[strings.LastIndexByte(s, '\n')+1:]
	}
	if c.fresh && strings.Trim(s, " \t") != "" {
		c.fresh = false
	}
}
