package terminal

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// maxLine is how many bytes of a line count; the rest of it is dropped.
const maxLine = 16 << 10

// input reads lines one at a time, and only when somebody waits for one: a read can't be ended, but none is begun for nothing.
type input struct {
	from  *bufio.Reader // nil for no input
	lines chan string

	mu      sync.Mutex
	reading bool // and after the end for ever
}

func newInput(r io.Reader) *input {
	in := &input{lines: make(chan string, 1)}
	if r != nil {
		in.from = bufio.NewReaderSize(r, maxLine)
	}
	return in
}

// next gives the channel on which the next line comes. Several may wait on it.
func (in *input) next() <-chan string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.from != nil && !in.reading && len(in.lines) == 0 {
		in.reading = true
		go in.read()
	}
	return in.lines
}

// read takes one line and ends. After the end of the input no line ever comes.
func (in *input) read() {
	line, err := in.from.ReadSlice('\n')
	text := string(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.from.ReadSlice('\n')
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.reading = err != nil
	if text != "" {
		in.lines <- text
	}
}
