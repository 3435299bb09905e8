package redact

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// longest is how many bytes of a line are kept back before it is passed on in pieces.
const longest = 64 << 10

// Writer hides secrets in what is written through it, however the writes cut them. Whole lines pass at once, so a log does
// not lag; the rest of one waits for its end or for Close. Keys that go over several lines are hidden line by line; a value
// that is split over two lines is not, because the first is gone by then. It may be used by several goroutines.
func Writer(to io.Writer, r *Redactor) io.WriteCloser { return &writer{to: to, r: r} }

// FileWriter is a Writer for what nobody follows while it is written. It keeps lines back until it has seen what comes after them, so
// that a value is found that goes over line ends, as encoders break them.
func FileWriter(to io.Writer, r *Redactor) io.WriteCloser { return &writer{to: to, r: r, lags: true} }

type writer struct {
	to   io.Writer
	r    *Redactor
	lags bool // whole lines are kept back too

	mu    sync.Mutex
	rest  []byte // begins a line, or goes on with one that is too long
	inKey bool   // the lines before have begun a private key
}

// Write passes on what makes whole lines. The error is the one of the writer below; what was written is lost then.
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

// Close passes on the last line. It does not close the writer below.
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

// lines hides what is in whole lines.
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

// safe moves a cut in front of the secret or the character that it would go through. What begins the line and does not end
// within reach is no secret that could be kept together.
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
