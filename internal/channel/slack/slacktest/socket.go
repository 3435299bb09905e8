package slacktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Kinds of delivery, as in Socket Mode.
const (
	Event       = "events_api"
	Interaction = "interactive"
	Command     = "slash_commands"
)

// Socket simulates Socket Mode. Envelopes wait for a connection; they are sent again if they were not acknowledged
// within a second, or before their connection broke.
type Socket struct {
	mu      sync.Mutex
	changed *change
	serving sync.WaitGroup
	conns   map[*websocket.Conn]bool
	state   State
	count   int               // envelopes
	latest  []envelope        // of the last delivery
	waiting []envelope        // not sent yet
	sent    map[string]*timed // not acknowledged yet
	again   time.Duration     // time until an unacknowledged envelope is sent again
	ticket  int
	closed  bool
	down    bool
	deaf    bool                          // close connections right after the handshake
	answers []func(w http.ResponseWriter) // to the next calls of apps.connections.open
}

type State struct {
	Open   int      // current connections
	Opened int      // connections so far
	Acks   []string // ids of acknowledged envelopes, with repetitions
	Tokens []string // tokens used to request a connection
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

func newSocket() *Socket {
	return &Socket{again: time.Second, conns: map[*websocket.Conn]bool{}, sent: map[string]*timed{}, changed: newChange()}
}

// open is apps.connections.open.
func (s *Socket) open(w http.ResponseWriter, r *http.Request, token string) {
	s.mu.Lock()
	s.state.Tokens = append(s.state.Tokens, token)
	s.ticket++
	ticket := s.ticket
	var answer func(w http.ResponseWriter)
	if len(s.answers) > 0 {
		answer, s.answers = s.answers[0], s.answers[1:]
	}
	s.mu.Unlock()
	if answer != nil {
		answer(w)
		return
	}
	if token != AppToken {
		Deny(w, "invalid_auth")
		return
	}
	scheme := "ws"
	if r.TLS != nil {
		scheme = "wss"
	}
	Answer(w, map[string]any{"ok": true, "url": fmt.Sprintf("%s://%s/socket?ticket=secret-%d", scheme, r.Host, ticket)})
}

func (s *Socket) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.serving.Add(1)
	s.mu.Unlock()
	defer s.serving.Done()
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	c, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer c.Close()
	if !s.greet(c) {
		return
	}
	for {
		var ack struct {
			EnvelopeID string `json:"envelope_id"`
		}
		if err := c.ReadJSON(&ack); err != nil {
			break
		}
		s.acknowledged(ack.EnvelopeID)
	}
	s.gone(c)
}

// greet starts a connection and sends waiting envelopes.
func (s *Socket) greet(c *websocket.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.note()
	s.state.Opened++
	if s.deaf || s.closed || s.down {
		return false
	}
	s.conns[c] = true
	_ = c.WriteJSON(map[string]any{"type": "hello", "num_connections": len(s.conns), "connection_info": map[string]any{"app_id": "A0"},
		"debug_info": map[string]any{"host": "applink", "build_number": 1, "approximate_connection_time": 18060}})
	for _, e := range s.waiting {
		s.write(c, e)
	}
	s.waiting = nil
	return true
}

func (s *Socket) acknowledged(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.note()
	s.state.Acks = append(s.state.Acks, id)
	if e := s.sent[id]; e != nil {
		e.timer.Stop()
		delete(s.sent, id)
	}
}

// gone removes a broken connection. If it was the only one, all unacknowledged envelopes were sent over it.
func (s *Socket) gone(c *websocket.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.note()
	delete(s.conns, c)
	if len(s.conns) > 0 {
		return
	}
	for id, e := range s.sent {
		e.timer.Stop()
		delete(s.sent, id)
		s.waiting = append(s.waiting, e.envelope)
	}
	slices.SortStableFunc(s.waiting, func(a, b envelope) int { return strings.Compare(a.EnvelopeID, b.EnvelopeID) })
}
