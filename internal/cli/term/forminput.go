package term

import (
	"io"
	"os"
)

// FormInput is the terminal as forms read it, one after the other. There is one reader of it for as long as the program runs: a
// form that has ended may still wait in a read, and would take the first key that is meant for the next.
type FormInput struct {
	terminal *os.File
	keys     chan []byte // closed at the end of the input
	rest     []byte      // of what was read and did not fit
}

// typed is the input of one form.
type typed struct {
	*FormInput
	done <-chan struct{}
}

// Until returns the input of one form, which ends when done is closed.
func (f *FormInput) Until(done <-chan struct{}) typed { return typed{f, done} }

// pump reads for as long as the program runs: a read of a terminal can't be called off.
func (f *FormInput) pump(closed <-chan struct{}) {
	defer close(f.keys)
	for {
		buffer := make([]byte, 1024)
		n, err := f.terminal.Read(buffer)
		if n > 0 {
			select {
			case f.keys <- buffer[:n]:
			case <-closed:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Read returns what was typed.
func (t typed) Read(into []byte) (int, error) {
	select {
	case <-t.done: // before anything else: the keys are for the next form
		return 0, io.EOF
	default:
	}
	if len(t.rest) == 0 {
		select {
		case <-t.done:
			return 0, io.EOF
		case keys, more := <-t.keys:
			if !more {
				return 0, io.EOF
			}
			t.rest = keys
		}
	}
	n := copy(into, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// Fd is the terminal's: the form puts it into raw mode.
func (t typed) Fd() uintptr { return t.terminal.Fd() }

// Write and Close make this look like a terminal, which is never written to or closed here.
func (t typed) Write(b []byte) (int, error) { return t.terminal.Write(b) }

// Close leaves the terminal to the next form.
func (t typed) Close() error { return nil }
