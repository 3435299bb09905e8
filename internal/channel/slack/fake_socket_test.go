package slack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// fakeSocket plays Socket Mode. What is sent while nobody is connected waits; what was sent over a connection that broke before it was
// acknowledged is sent again over the next one, and so is what nobody acknowledged within the patience of the test.
type fakeSocket struct {
	mu      sync.Mutex
	conns   map[*websocket.Conn]bool
	opened  int               // connections that were made
	count   int               // envelopes
	waiting []envelope        // not sent yet
	sent    map[string]*timed // not acknowledged yet
	acks    []string
	again   time.Duration // after which an envelope that was not acknowledged is sent again
	tokens  []string      // that asked for a connection
	ticket  int
	closed  bool
	changed chan struct{}                 // closed and made new at each change
	deaf    bool                          // the handshake is answered by closing
	down    []func(w http.ResponseWriter) // answer the next openings
}

type timed struct {
	envelope
	timer *time.Timer
}

type envelope struct {
	Type                   string          `json:"type"`
	EnvelopeID             string          `json:"envelope_id"`
	Payload                json.RawMessage `json:"payload"`
	AcceptsResponsePayload bool            `json:"accepts_response_payload"`
	RetryAttempt           int             `json:"retry_attempt,omitempty"`
	RetryReason            string          `json:"retry_reason,omitempty"`
}

func (s *fakeSocket) init() {
	s.again = time.Second
	s.conns, s.sent, s.changed = map[*websocket.Conn]bool{}, map[string]*timed{}, make(chan struct{})
}

// openConnection is apps.connections.open.
func (f *fake) openConnection(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s := &f.socket
	s.mu.Lock()
	s.tokens = append(s.tokens, token)
	s.ticket++
	ticket := s.ticket
	var fail func(w http.ResponseWriter)
	if len(s.down) > 0 {
		fail, s.down = s.down[0], s.down[1:]
	}
	s.mu.Unlock()
	if fail != nil {
		fail(w)
		return
	}
	if token != appToken {
		deny(w, "invalid_auth")
		return
	}
	answer(w, map[string]any{"ok": true, "url": fmt.Sprintf("ws%s/socket?ticket=secret-%d", strings.TrimPrefix(f.server.URL, "http"), ticket)})
}

func (s *fakeSocket) serve(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	c, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer c.Close()
	s.mu.Lock()
	s.opened++
	if s.deaf || s.closed {
		s.note()
		s.mu.Unlock()
		return
	}
	s.conns[c] = true
	_ = c.WriteJSON(map[string]any{"type": "hello", "num_connections": len(s.conns), "connection_info": map[string]any{"app_id": "A0"},
		"debug_info": map[string]any{"host": "applink", "build_number": 1, "approximate_connection_time": 18060}})
	for _, e := range s.waiting {
		s.write(c, e)
	}
	s.waiting = nil
	s.note()
	s.mu.Unlock()
	for {
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if err := c.ReadJSON(&ack); err != nil {
			break
		}
		s.mu.Lock()
		s.acks = append(s.acks, ack.EnvelopeID)
		if e := s.sent[ack.EnvelopeID]; e != nil {
			e.timer.Stop()
			delete(s.sent, ack.EnvelopeID)
		}
		s.note()
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	for id, e := range s.sent { // the only connection: all of it was sent over it
		if len(s.conns) == 0 {
			e.timer.Stop()
			delete(s.sent, id)
			s.waiting = append(s.waiting, e.envelope)
		}
	}
	s.note()
}

// write sends an envelope; the lock is held.
func (s *fakeSocket) write(c *websocket.Conn, e envelope) {
	_ = c.WriteJSON(e)
	s.sent[e.EnvelopeID] = &timed{e, time.AfterFunc(s.again, func() { s.sendAgain(e) })}
}

func (s *fakeSocket) sendAgain(e envelope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent[e.EnvelopeID] == nil || s.closed {
		return
	}
	delete(s.sent, e.EnvelopeID)
	e.RetryAttempt, e.RetryReason = e.RetryAttempt+1, "timeout"
	s.send(e)
}

func (s *fakeSocket) send(e envelope) {
	for c := range s.conns {
		s.write(c, e)
		return
	}
	s.waiting = append(s.waiting, e)
}

// deliver sends a payload, and gives the id of its envelope.
func (s *fakeSocket) deliver(kind string, payload any) string {
	raw, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	id := fmt.Sprintf("dbdd0ef3-1543-4f94-bfb4-%012d", s.count)
	s.send(envelope{Type: kind, EnvelopeID: id, Payload: raw, AcceptsResponsePayload: kind != callEvent})
	return id
}

// raw sends a message as it is.
func (s *fakeSocket) raw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.WriteMessage(websocket.TextMessage, []byte(text))
	}
}

func (s *fakeSocket) note() { close(s.changed); s.changed = make(chan struct{}) }

// wait waits until ok, which is asked under the lock after each change.
func (s *fakeSocket) wait(ok func() bool) bool {
	deadline := time.After(10 * time.Second)
	for {
		s.mu.Lock()
		good, changed := ok(), s.changed
		s.mu.Unlock()
		if good {
			return true
		}
		select {
		case <-changed:
		case <-deadline:
			return false
		}
	}
}

// drop breaks all connections.
func (s *fakeSocket) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

func (s *fakeSocket) close() {
	s.mu.Lock()
	s.closed = true
	for _, e := range s.sent {
		e.timer.Stop()
	}
	s.mu.Unlock()
	s.drop()
}
