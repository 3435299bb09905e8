package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	maxEntry      = 1 << 20   // bytes kept of a request, and of an answer
	maxTranscript = 512 << 20 // bytes of a session's file
	blacked       = "[redacted]"
)

// transcript records a session's calls on disk for people. It is never read back, and its errors do not affect calls.
type transcript struct {
	log *slog.Logger

	mu   sync.Mutex
	file *os.File // nil when there is none, or after an error
	size int64
}

// entry is one call, without headers, since they carry keys.
type entry struct {
	Time      time.Time `json:"time"`
	Call      uint64    `json:"call,omitempty"` // its number in the ledger; 0 for calls that cost nothing
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Status    int       `json:"status,omitempty"` // 0 when no answer came
	Millis    int64     `json:"ms"`
	Request   any       `json:"request,omitempty"` // JSON as it was sent, or text when it is cut or not JSON
	Answer    any       `json:"answer,omitempty"`  // the same; a stream is text
	CutFrom   int64     `json:"requestCutFrom,omitempty"`
	AnswerCut int64     `json:"answerCutFrom,omitempty"` // its full size in bytes, when only the beginning is here
}

// openTranscript opens or creates a file. Without a path it returns a transcript that records nothing.
func openTranscript(path string, log *slog.Logger) (*transcript, error) {
	t := &transcript{log: log}
	if path == "" {
		return t, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open transcript: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open transcript: %w", err)
	}
	if t.size, err = endLine(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open transcript: %w", err)
	}
	t.file = f
	return t, nil
}

// endLine terminates a last line that a crash has torn, and returns the size of the file.
func endLine(f *os.File) (int64, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return size, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return size, err
	}
	_, err = f.Write([]byte{'\n'})
	return size + 1, err
}

// on reports whether the transcript records calls.
func (t *transcript) on() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.file != nil
}

// write adds a call, with secrets removed from request and answer.
func (t *transcript) write(e entry, request []byte, answer *capture, secrets []string) {
	if !t.on() {
		return
	}
	request = withoutImages(request)
	body := request[:min(len(request), maxEntry)]
	if len(body) < len(request) {
		e.CutFrom = int64(len(request))
	}
	if answer.cut() {
		e.AnswerCut = answer.total
	}
	e.Request = bodyOf(body, secrets)
	e.Answer = bodyOf(answer.data, secrets)
	text, err := json.Marshal(e)
	if err != nil {
		t.log.Warn("write transcript", "error", err)
		return
	}
	t.append(append(text, '\n'))
}

func (t *transcript) append(text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return
	}
	if t.size+int64(len(text)) > maxTranscript {
		text = []byte(`{"full":true}` + "\n")
		defer t.stop("transcript is full", nil)
	}
	n, err := t.file.Write(text)
	t.size += int64(n)
	if err != nil {
		t.stop("write transcript", err)
	}
}

// stop ends the transcript after an error. t.mu is held.
func (t *transcript) stop(why string, err error) {
	t.log.Warn(why, "error", err)
	_ = t.file.Close()
	t.file = nil
}

func (t *transcript) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil {
		_ = t.file.Close()
		t.file = nil
	}
}

// mostData is how long a member "data" may be, in bytes, and be no image.
const mostData = 8 << 10

// withoutImages replaces the data of images by its size: each call repeats them, and nobody reads them in a transcript.
func withoutImages(body []byte) []byte {
	if len(body) <= mostData {
		return body
	}
	const member = `"data":"`
	var out []byte
	for {
		before, rest, ok := bytes.Cut(body, []byte(member))
		n := bytes.IndexByte(rest, '"')
		if !ok || n < 0 {
			return append(out, body...)
		}
		out = append(append(out, before...), member...)
		if data := rest[:n]; n > mostData && bytes.IndexByte(data, '\\') < 0 {
			out = fmt.Appendf(out, "[%d bytes]", n)
		} else {
			out = append(out, data...)
		}
		body = rest[n:]
	}
}

// blacken removes secrets from a text.
func blacken(text []byte, secrets []string) []byte {
	for _, s := range secrets {
		text = bytes.ReplaceAll(text, []byte(s), []byte(blacked))
	}
	return text
}

// bodyOf returns a body without secrets: JSON as such, anything else as text.
func bodyOf(body []byte, secrets []string) any {
	body = blacken(body, secrets)
	switch {
	case len(body) == 0:
		return nil
	case json.Valid(body):
		return json.RawMessage(body)
	}
	return string(body)
}
