package lab

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"testing"
	"time"
)

type devtoolsAnswer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// listen hands each answer to the call that waits for it. Messages end with a zero byte.
func (b *Browser) listen(out io.Reader) {
	defer close(b.gone)
	r := bufio.NewReader(out)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var a devtoolsAnswer
		if json.Unmarshal(text[:len(text)-1], &a) != nil || a.ID == 0 {
			continue // an event
		}
		b.mu.Lock()
		c := b.waiting[a.ID]
		delete(b.waiting, a.ID)
		b.mu.Unlock()
		if c != nil {
			c <- a
		}
	}
}

// call calls a method of the protocol, of a page when session names one, and reads its result.
func (b *Browser) call(session, method string, params map[string]any, into any) {
	b.t.Helper()
	b.mu.Lock()
	b.last++
	id, c := b.last, make(chan devtoolsAnswer, 1)
	b.waiting[id] = c
	b.mu.Unlock()
	message := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	if err != nil {
		b.t.Fatalf("call %s of chromium: %v", method, err)
	}
	select {
	case a := <-c:
		if a.Error != nil {
			b.t.Fatalf("%s of chromium: %s", method, a.Error.Message)
		}
		if into != nil {
			if err := json.Unmarshal(a.Result, into); err != nil {
				b.t.Fatalf("answer to %s of chromium: %v", method, err)
			}
		}
	case <-b.gone:
		b.t.Fatalf("chromium has ended before it answered %s", method)
	case <-time.After(20 * time.Second):
		b.t.Fatalf("chromium does not answer %s", method)
	}
}
