package terminal

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// maxLine is the maximum length of a line in bytes; the rest is dropped.
const maxLine = 16 << 10

// input reads lines on demand: a read can't be canceled, so it is only started when a line is needed.
type input struct {
	from  *bufio.Reader // nil for no input
	lines chan string

	mu      sync.Mutex
	reading bool // stays true after the end of the input
}

func newInput(r io.Reader) *input {
	in := &input{lines: make(chan string, 1)}
	if r != nil {
		in.from = bufio.NewReaderSize(r, maxLine)
	}
	return in
}

// next returns the channel for the next line. Several callers may wait on it.
func (in *input) next() <-chan string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.from != nil && !in.reading && len(in.lines) == 0 {
		in.reading = true
		go in.read()
	}
	return in.lines
}

// read reads one line. After the end of the input there is never another.
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
