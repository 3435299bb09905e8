package slacktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// Deliver sends payloads to one of the connections, each in an envelope, and returns the last envelope's id.
func (s *Socket) Deliver(kind string, payloads ...any) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = nil
	for _, payload := range payloads {
		raw, err := json.Marshal(payload)
		if err != nil {
			panic(err) // strings can't fail
		}
		s.count++
		e := envelope{Type: kind, EnvelopeID: fmt.Sprintf("dbdd0ef3-1543-4f94-bfb4-%012d", s.count), Payload: raw,
			AcceptsResponsePayload: kind != Event}
		s.latest, id = append(s.latest, e), e.EnvelopeID
		s.send(e)
	}
	return id
}

// redeliver sends the envelopes of the last delivery once more.
func (s *Socket) redeliver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.latest {
		e := &s.latest[i]
		e.RetryAttempt, e.RetryReason = e.RetryAttempt+1, "timeout"
		s.send(*e)
	}
	return len(s.latest) > 0
}

// Raw sends a message unchanged to all connections.
func (s *Socket) Raw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.WriteMessage(websocket.TextMessage, []byte(text))
	}
}

// send writes to one connection; the lock is held.
func (s *Socket) send(e envelope) {
	for c := range s.conns {
		s.write(c, e)
		return
	}
	s.waiting = append(s.waiting, e)
}

func (s *Socket) write(c *websocket.Conn, e envelope) {
	_ = c.WriteJSON(e) // the reader of a broken connection resends the envelope
	if before := s.sent[e.EnvelopeID]; before != nil {
		before.timer.Stop()
	}
	s.sent[e.EnvelopeID] = &timed{e, time.AfterFunc(s.again, func() { s.sendAgain(e) })}
}

func (s *Socket) sendAgain(e envelope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent[e.EnvelopeID] == nil || s.closed {
		return
	}
	delete(s.sent, e.EnvelopeID)
	e.RetryAttempt, e.RetryReason = e.RetryAttempt+1, "timeout"
	s.send(e)
}

// Again sets after what time an unacknowledged envelope is sent again.
func (s *Socket) Again(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = after
}

// Deaf makes the server close new connections at once.
func (s *Socket) Deaf(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = on
}

// AnswerOpening sets the answers to the next calls of apps.connections.open.
func (s *Socket) AnswerOpening(answers ...func(w http.ResponseWriter)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

func (s *Socket) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.state
	now.Open, now.Acks, now.Tokens = len(s.conns), slices.Clone(now.Acks), slices.Clone(now.Tokens)
	return now
}

// Wait waits until ok returns true. It returns false after ten seconds.
func (s *Socket) Wait(ok func(State) bool) bool {
	return s.changed.wait(func() bool { return ok(s.State()) })
}

func (s *Socket) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

func (s *Socket) away(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
	if down {
		s.Drop()
	}
}

func (s *Socket) close() {
	s.mu.Lock()
	s.closed = true
	for _, e := range s.sent {
		e.timer.Stop()
	}
	s.mu.Unlock()
	s.Drop()
	s.serving.Wait()
}
