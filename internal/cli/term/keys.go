package term

import (
	"bufio"
	"io"
	"strings"
	"sync/atomic"
	"unicode"
)

// keys of a terminal in raw mode that are no letters.
const (
	KeyInterrupt = 0x03 // Ctrl-C
	keyEnd       = 0x04 // Ctrl-D
	keyKillLine  = 0x15 // Ctrl-U
	keyKillWord  = 0x17 // Ctrl-W
	keyEscape    = 0x1b
	keyDelete    = 0x7f
)

// Keyboard reads the keys of a terminal one by one, while it is open. What is typed while it is closed is dropped.
type Keyboard struct {
	raw     func() (func(), error)
	in      io.Reader
	keys    chan rune
	restore func()      // nil while closed
	opened  atomic.Bool // the same for the reading goroutine
}

// pasted is how many keys may wait to be looked at: a paragraph from the clipboard comes at once.
const pasted = 4096

// Open puts the terminal into raw mode. It may be called more than once.
func (k *Keyboard) Open() error {
	if k.restore != nil {
		return nil
	}
	restore, err := k.raw()
	if err != nil {
		return err
	}
	k.restore = restore
	if k.keys == nil {
		k.keys = make(chan rune, pasted)
		go k.read()
	}
	k.opened.Store(true)
	return nil
}

// Pressed returns the keys, once the keyboard has been open.
func (k *Keyboard) Pressed() <-chan rune { return k.keys }

// Close restores the terminal, and drops keys that were not read. It may be called more than once.
func (k *Keyboard) Close() {
	if k.restore == nil {
		return
	}
	k.opened.Store(false)
	k.restore()
	k.restore = nil
	for {
		select {
		case _, ok := <-k.keys:
			if ok {
				continue
			}
		default:
		}
		return
	}
}

// read reads for as long as the program runs: a read of a terminal can't be called off.
func (k *Keyboard) read() {
	defer close(k.keys)
	in := bufio.NewReader(k.in)
	for {
		key, _, err := in.ReadRune()
		if err != nil {
			return
		}
		if key == keyEscape && in.Buffered() > 0 {
			skipSequence(in)
			continue
		}
		if (key == '\r' || key == '\n') && textFollows(in) { // between the lines of a pasted text, of which only the last one's end sends
			key = ' '
		}
		if !k.opened.Load() {
			continue
		}
		select {
		case k.keys <- key:
		default: // far too many at once
		}
	}
}

// textFollows tells whether more text has come in the same read. An arrow key pressed after Enter is none.
func textFollows(in *bufio.Reader) bool {
	if in.Buffered() == 0 {
		return false
	}
	next, err := in.Peek(1)
	return err == nil && next[0] != keyEscape
}

// skipSequence takes the rest of an escape sequence, such as an arrow key, out of what was read.
func skipSequence(in *bufio.Reader) {
	first, _ := in.ReadByte()
	if first != '[' && first != 'O' {
		return
	}
	for in.Buffered() > 0 {
		if b, err := in.ReadByte(); err != nil || b >= 0x40 && b <= 0x7e {
			return
		}
	}
}

// LineEditor is a line that a person types while the live line shows it.
type LineEditor struct{ text []rune }

// what a key did to the line.
type edited int

const (
	Editing edited = iota
	Entered
	Dropped
)

// Key takes one key.
func (e *LineEditor) Key(r rune) edited {
	switch r {
	case '\r', '\n':
		return Entered
	case keyEscape, keyEnd:
		return Dropped
	case keyDelete, '\b':
		if n := len(e.text); n > 0 {
			e.text = e.text[:n-1]
		}
	case keyKillLine:
		e.text = nil
	case keyKillWord:
		s := strings.TrimRight(string(e.text), " ")
		e.text = []rune(s[:strings.LastIndex(s, " ")+1])
	default:
		if unicode.IsPrint(r) {
			e.text = append(e.text, r)
		}
	}
	return Editing
}

// Line is the text as typed so far.
func (e *LineEditor) Line() string { return string(e.text) }

// Shown is the line for so many columns: its end, where the typing is.
func (e *LineEditor) Shown(columns int) string {
	text := e.text
	for len(text) > 0 && Cells(string(text)) > columns-1 {
		text = text[1:]
	}
	if len(text) < len(e.text) && len(text) > 0 {
		text = append([]rune("…"), text[1:]...)
	}
	return string(text) + "_"
}
