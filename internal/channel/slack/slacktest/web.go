package slacktest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// webhooks are the signed requests to the app.
type webhooks struct {
	*shared
	client *http.Client
	sent   call // the last request
}

type call struct {
	body   string
	header http.Header
}

// SayHTTP is Say as a signed request to a webhook, or two for a mention. It returns the webhook's answer, the first that is not 200 if there is one;
// the message is the last in Messages. LastHTTP returns the first request.
func (s *Server) SayHTTP(url, channel, user, text, thread string, direct bool) (status int, body string) {
	s.t.Helper()
	_, payloads := s.speech(s.t, channel, user, text, thread, direct)
	status, body = s.Send(url, Event, payloads[0])
	for _, p := range payloads[1:] {
		text := Body(Event, p)
		if more, why := s.Post(url, text, Sign(text, time.Now())); status == http.StatusOK {
			status, body = more, why
		}
	}
	return status, body
}

// PressHTTP is Press over HTTP.
func (s *Server) PressHTTP(url, channel, ts, token, user string) (status int, body string) {
	s.t.Helper()
	return s.Send(url, Interaction, s.press(s.t, channel, ts, token, user))
}

// FillHTTP is Fill over HTTP. The form stays open unless the status is 200.
func (s *Server) FillHTTP(url, text, user string) (status int, body string) {
	s.t.Helper()
	m, ok := s.take(user)
	if !ok {
		s.t.Fatalf("no form is opened for %s", user)
	}
	status, body = s.Send(url, Interaction, FormCall(m, text, Person(user)))
	if status != http.StatusOK {
		s.reopen(m.ID)
	}
	return status, body
}

// CommandHTTP is Command over HTTP.
func (s *Server) CommandHTTP(url, channel, user, text string) (status int, body string) {
	return s.Send(url, Command, s.command(channel, user, text))
}

// Send signs a payload and sends it. LastHTTP returns the request.
func (h *webhooks) Send(url, kind string, payload any) (status int, body string) {
	text := Body(kind, payload)
	c := call{text, Sign(text, time.Now())}
	h.mu.Lock()
	h.sent = c
	h.mu.Unlock()
	return h.Post(url, c.body, c.header)
}

// LastHTTP returns the last request sent by the methods above, so that it can be repeated, late or modified.
func (h *webhooks) LastHTTP() (body string, header http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sent.body, h.sent.header.Clone()
}

// Sign returns the headers for a body signed by Slack at a time.
func Sign(body string, at time.Time) http.Header { return SignWith(SigningSecret, body, at) }

// SignWith signs with another secret.
func SignWith(secret, body string, at time.Time) http.Header {
	stamp := fmt.Sprint(at.Unix())
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, "v0:"+stamp+":"+body)
	h := http.Header{}
	h.Set("Content-Type", "application/x-www-form-urlencoded")
	if strings.HasPrefix(body, "{") {
		h.Set("Content-Type", "application/json")
	}
	h.Set("X-Slack-Request-Timestamp", stamp)
	h.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	return h
}

// Post sends a request unchanged. Without an answer the status is 0 and the text is the error.
func (h *webhooks) Post(url, body string, header http.Header) (status int, text string) {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header = header.Clone()
	r, err := h.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err.Error()
	}
	return r.StatusCode, string(got)
}
