package whatsapptest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Delivery is what was posted to a webhook.
type Delivery struct {
	Body      string
	Signature string // "" for none
	Message   string // id of the person's message, when Say or Press made it; an answer quotes it
}

// At sets the time of what people do from now on; the zero time is that of the clock.
func (s *Server) At(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = at
}

// Say lets somebody write, and delivers it once to a webhook. from is a phone number, or the id of somebody who hides it. replyTo
// is the message that it answers, "" for none. It returns the HTTP status, and 0 if nobody answered; the platform would deliver again
// then, which Post does with Last.
func (s *Server) Say(webhook, from, name, text, replyTo string) (status int) {
	s.t.Helper()
	id, at := s.next()
	return s.deliver(webhook, id, Batch(from, name, Said(from, id, text, replyTo, at)))
}

// Press lets somebody press a button below a message, and delivers it like Say, whether there is such a button or not. The id of a
// button is its Data.
func (s *Server) Press(webhook, from, name, message, button, title string) (status int) {
	s.t.Helper()
	id, at := s.next()
	return s.deliver(webhook, id, Batch(from, name, Pressed(from, id, button, title, message, at)))
}

// next numbers a message of somebody.
func (s *Server) next() (id string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard++
	if at = s.at; at.IsZero() {
		at = time.Now()
	}
	return fmt.Sprintf("wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQz%d", s.heard), at
}

func (s *Server) deliver(webhook, id, body string) int {
	s.t.Helper()
	d := Delivery{Body: body, Signature: Sign(body, s.AppSecret), Message: id}
	s.mu.Lock()
	s.last = d
	s.mu.Unlock()
	return s.Post(webhook, d.Body, d.Signature)
}

// Last returns what Say or Press delivered last, byte by byte.
func (s *Server) Last() Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Post delivers any body with any signature, or "" for none, and returns the HTTP status; 0 if nobody answered.
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

// Confirm sets a webhook up: the platform asks it to give a number back, and takes it if the status is 200 and the number is right.
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
