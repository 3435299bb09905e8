// Package term is the terminal: its streams, what is written to it as text or JSON, the live line, keys, lines and forms.
package term

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are the standard streams.
type Streams struct {
	In    io.Reader
	Out   io.Writer // data
	Err   io.Writer // everything else
	InTTY bool      // In is a terminal: keys can be asked for

	OutTTY bool
	ErrTTY bool // Err is a terminal: a live line can be shown

	outColor, errColor bool // see Colored

	// Width returns the columns of the terminal behind Err; 0 is unknown. It may be nil.
	Width func() int
	// Raw makes In give keys one by one and without echo, until restore is called. It may be nil.
	Raw func() (restore func(), err error)
	// Password reads a line from In without showing it. It may be nil.
	Password func() (string, error)
}

// columns are those of the terminal, 0 where they are not known or where nothing fits.
func (s Streams) columns() int {
	if s.Width == nil {
		return 0
	}
	if n := s.Width(); n >= 20 {
		return n
	}
	return 0
}

// SystemStreams are the streams of this process.
func SystemStreams() Streams {
	in, errs := int(os.Stdin.Fd()), int(os.Stderr.Fd())
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY: term.IsTerminal(in), OutTTY: term.IsTerminal(int(os.Stdout.Fd())), ErrTTY: term.IsTerminal(errs),
		Width: func() int {
			width, _, err := term.GetSize(errs)
			if err != nil {
				return 0
			}
			return width
		},
		Raw: func() (func(), error) {
			state, err := term.MakeRaw(in)
			if err != nil {
				return nil, err
			}
			return func() { _ = term.Restore(in, state) }, nil
		},
		Password: func() (string, error) {
			text, err := term.ReadPassword(in)
			return string(text), err
		},
	}
}
