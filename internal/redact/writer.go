package redact

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// longest is how many bytes of a line are buffered before the line is passed on in pieces.
const longest = 64 << 10

// Writer hides secrets in what is written through it, however it is split into writes. Whole lines are passed on at
// once, so that a log does not lag; an incomplete line is buffered until its end or Close. Keys of several lines are
// hidden line by line. A value split over two lines is not hidden, since the first line is already gone. It is safe for
// concurrent use.
func Writer(to io.Writer, r *Redactor) io.WriteCloser { return &writer{to: to, r: r} }

// FileWriter is a Writer for output that nobody follows live. It buffers lines until it has seen what follows, so that
// it also finds values with line breaks, as encoders insert them.
func FileWriter(to io.Writer, r *Redactor) io.WriteCloser { return &writer{to: to, r: r, lags: true} }

type writer struct {
	to   io.Writer
	r    *Redactor
	lags bool // whole lines are buffered too

	mu    sync.Mutex
	rest  []byte // start of a line, or the continuation of one that is too long
	inKey bool   // the preceding lines are inside a private key
}

// Write passes on complete lines. It returns the error of the underlying writer; the data is lost then.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	cut := 0
	if !w.lags {
		cut = bytes.LastIndexByte(w.rest, '\n') + 1
	}
	if limit := max(longest, 4*w.r.Reach()); len(w.rest)-cut > limit {
		cut = w.safe(len(w.rest) - w.r.Reach())
	}
	if err := w.pass(cut); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close flushes the last line. It does not close the underlying writer.
func (w *writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pass(len(w.rest))
}

func (w *writer) pass(n int) error {
	if n == 0 {
		return nil
	}
	text := w.lines(string(w.rest[:n]))
	w.rest = append(w.rest[:0], w.rest[n:]...)
	_, err := io.WriteString(w.to, text)
	return err
}

// lines redacts whole lines.
func (w *writer) lines(text string) string {
	var out strings.Builder
	for w.inKey && text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		end := keyEnds([]byte(line))
		if end > 0 || !keyBody([]byte(line)) {
			w.inKey, text = false, text[end:]
			break
		}
		if ended {
			out.WriteByte('\n')
		}
		text = rest
	}
	if !w.inKey {
		w.inKey = keyOpen([]byte(text))
		out.WriteString(w.r.String(text))
	}
	return out.String()
}

// safe moves a cut to before a secret or character that it would split. A match that starts the line and is longer than
// Reach can't be kept together.
func (w *writer) safe(cut int) int {
	for cut > 0 && !utf8.RuneStart(w.rest[cut]) {
		cut--
	}
	for _, f := range w.r.now().find(string(w.rest)) {
		switch {
		case f.start >= cut || cut >= f.end:
		case f.start == 0:
			return f.end
		default:
			return f.start
		}
	}
	return cut
}
