// Package term is the terminal: its streams, what is written to it as text or JSON, the live line, keys, lines and forms.
package term

import (
	"context"
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
	// Password reads a line from In without showing it, until the context ends: ErrInterrupted. It may be nil.
	Password func(context.Context) (string, error)
}

// Until is In for as long as the context lasts: after that, ErrInterrupted. A read of In can't be called off, and is left behind.
func (s Streams) Until(ctx context.Context) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, s.In)
		_ = w.CloseWithError(err) // nil is the end
	}()
	context.AfterFunc(ctx, func() { _ = w.CloseWithError(ErrInterrupted) })
	return r
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
		Raw:      func() (func(), error) { return raw(in) },
		Password: func(ctx context.Context) (string, error) { return password(ctx, in) },
	}
}

// raw puts a terminal into raw mode. What was typed before is dropped: it was no answer to what is asked now.
func raw(fd int) (restore func(), err error) {
	state, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	if err := dropTyped(fd); err != nil {
		_ = term.Restore(fd, state)
		return nil, err
	}
	return func() { _ = term.Restore(fd, state) }, nil
}

// password reads a line without echo. A read of a terminal can't be called off: it is left behind when the context ends, with the echo switched on
// again.
func password(ctx context.Context, fd int) (string, error) {
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	type line struct {
		text []byte
		err  error
	}
	typed := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		typed <- line{text, err}
	}()
	select {
	case l := <-typed:
		return string(l.text), l.err
	case <-ctx.Done():
		_ = term.Restore(fd, state)
		return "", ErrInterrupted
	}
}
