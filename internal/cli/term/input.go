package term

import "os"

// Input hands out the readers of standard input. There is one of each kind: a second reader would miss what the first has
// buffered, and a read of a terminal can't be cancelled.
type Input struct {
	streams Streams
	closed  chan struct{}
	keys    *Keyboard
	answers *Lines
	typed   *FormInput
}

func NewInput(streams Streams) *Input {
	return &Input{streams: streams, closed: make(chan struct{})}
}

// Close ends the readers that wait to hand something on.
func (t *Input) Close() { close(t.closed) }

func (t *Input) Keyboard() *Keyboard {
	if t.keys == nil {
		t.keys = &Keyboard{raw: t.streams.Raw, in: t.streams.In}
	}
	return t.keys
}

func (t *Input) Lines() *Lines {
	if t.answers == nil {
		t.answers = &Lines{closed: t.closed, streams: t.streams, read: make(chan string)}
		go t.answers.scan(t.streams.In)
	}
	return t.answers
}

func (t *Input) Forms(terminal *os.File) *FormInput {
	if t.typed == nil {
		t.typed = &FormInput{terminal: terminal, keys: make(chan []byte)}
		go t.typed.pump(t.closed)
	}
	return t.typed
}
