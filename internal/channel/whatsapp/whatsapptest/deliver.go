package whatsapptest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

type Delivery struct {
	Body      string
	Signature string // "" for none
	Message   string // id of the message by Say or Press, which an answer quotes
}

// At sets the time of further events; zero means the clock.
func (s *Server) At(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = at
}

// Say writes a message as a person, and delivers it once to a webhook. from is a phone number, or the id of a person who
// hides it. replyTo is the message that it answers, or "". It returns the HTTP status, or 0 without an answer; the
// platform would then deliver again, as Post does with Last.
func (s *Server) Say(webhook, from, name, text, replyTo string) (status int) {
	s.t.Helper()
	id, at := s.next()
	return s.deliver(webhook, id, Batch(from, name, Said(from, id, text, replyTo, at)))
}

// Press presses a button of a message, and delivers it like Say. The button need not exist. Its id is its Data.
func (s *Server) Press(webhook, from, name, message, button, title string) (status int) {
	s.t.Helper()
	id, at := s.next()
	return s.deliver(webhook, id, Batch(from, name, Pressed(from, id, button, title, message, at)))
}

// next numbers a message of somebody.
func (s *Server) next() (id string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received++
	if at = s.at; at.IsZero() {
		at = time.Now()
	}
	return fmt.Sprintf("wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQz%d", s.received), at
}

func (s *Server) deliver(webhook, id, body string) int {
	s.t.Helper()
	d := Delivery{Body: body, Signature: Sign(body, s.AppSecret), Message: id}
	s.mu.Lock()
	s.last = d
	s.mu.Unlock()
	return s.Post(webhook, d.Body, d.Signature)
}

// Last returns the last delivery of Say or Press, byte for byte.
func (s *Server) Last() Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Post delivers any body with any signature, or "" for none. It returns the HTTP status, or 0 without an answer.
func (s *Server) Post(webhook, body, signature string) (status int) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, webhook, strings.NewReader(body))
	if err != nil {
		s.t.Errorf("the webhook's address: %v", err)
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	if signature != "" {
		req.Header.Set("X-Hub-Signature-256", signature)
	}
	status, _ = s.call(req)
	return status
}

// Confirm verifies a webhook: the platform asks it to return a number, and accepts status 200 with the right number.
func (s *Server) Confirm(webhook, verifyToken string) bool {
	s.t.Helper()
	const challenge = "1158201444"
	query := url.Values{"hub.mode": {"subscribe"}, "hub.verify_token": {verifyToken}, "hub.challenge": {challenge}}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, webhook+"?"+query.Encode(), nil)
	if err != nil {
		s.t.Errorf("the webhook's address: %v", err)
		return false
	}
	status, body := s.call(req)
	return status == http.StatusOK && body == challenge
}

func (s *Server) call(req *http.Request) (status int, body string) {
	resp, err := s.carrier.Do(req)
	if err != nil {
		s.t.Logf("nobody answers at %s: %v", req.URL.Host, err)
		return 0, ""
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, string(b)
}
