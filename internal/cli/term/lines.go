package term

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
)

// mostLine is how long an answer may be, in bytes.
const mostLine = 64 << 10

// Lines reads standard input line by line.
type Lines struct {
	streams Streams
	closed  <-chan struct{} // when the program ends
	read    chan string     // closed at the end of the input
	err     error           // why it ended; to be read after that
}

// scan reads for as long as the program runs: a read of a terminal can't be called off.
func (l *Lines) scan(in io.Reader) {
	defer close(l.read)
	s := bufio.NewScanner(in)
	s.Buffer(nil, mostLine)
	for s.Scan() {
		select {
		case l.read <- s.Text():
		case <-l.closed:
			return
		}
	}
	l.err = s.Err()
}

// Next returns the next line; more is false at the end of the input.
func (l *Lines) Next(ctx context.Context) (line string, more bool, err error) {
	select {
	case <-ctx.Done():
		return "", false, ErrInterrupted
	case line, more = <-l.read:
	}
	if ctx.Err() != nil {
		return "", false, ErrInterrupted
	}
	if !more && l.err != nil {
		return "", false, fault.New(fault.Input, "read standard input: %w", l.err).
			WithHint("give one line for each answer, at most %d bytes long", mostLine)
	}
	if !utf8.ValidString(line) {
		return "", false, fault.New(fault.Input, "standard input is not UTF-8").WithHint("give plain text")
	}
	if !l.streams.InTTY {
		fmt.Fprintln(l.streams.Err) // nobody has pressed enter
	}
	return line, more, nil
}
