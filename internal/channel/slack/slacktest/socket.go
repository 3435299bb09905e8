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

// The kinds of delivery, as Socket Mode names them.
const (
	Event       = "events_api"
	Interaction = "interactive"
	Command     = "slash_commands"
)

// Socket plays Socket Mode. What is sent while nobody is connected waits; what was sent over a connection that broke before it was
// acknowledged is sent again over the next one, and so is what nobody acknowledged within a second.
type Socket struct {
	mu      sync.Mutex
	changed *change
	serving sync.WaitGroup
	conns   map[*websocket.Conn]bool
	state   State
	count   int               // envelopes
	latest  *envelope         // sent last
	waiting []envelope        // not sent yet
	sent    map[string]*timed // not acknowledged yet
	again   time.Duration     // after which an envelope that was not acknowledged is sent again
	ticket  int
	closed  bool
	down    bool
	deaf    bool                          // the handshake is answered by closing
	answers []func(w http.ResponseWriter) // to the next openings
}

// State is what a Socket has seen.
type State struct {
	Open   int      // connections that stand
	Opened int      // connections that were made
	Acks   []string // ids of envelopes that were acknowledged, as often as they were
	Tokens []string // that asked for a connection
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

// greet takes a connection up and sends what waits.
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

// gone takes a broken connection out. When it was the only one, all that nobody acknowledged was sent over it.
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
