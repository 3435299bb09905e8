package whatsapp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func sign(body, with string) string {
	mac := hmac.New(sha256.New, []byte(with))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// batch is a delivery in the documented shape, of messages in JSON.
func batch(messages ...string) string {
	return fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":"102290129340398","changes":[{"value":{"messaging_product":"whatsapp",`+
		`"metadata":{"display_phone_number":"15550783881","phone_number_id":"%s"},"contacts":[{"profile":{"name":"Ada"},"wa_id":"%s"}],`+
		`"messages":[%s]},"field":"messages"}]}]}`, numberID, ada, strings.Join(messages, ","))
}

func quoting(id string) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf(`"context":{"from":"15550783881","id":%s},`, quote(id))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func said(id, text, replyTo string, at time.Time) string {
	return fmt.Sprintf(`{%s"from":"%s","id":%s,"timestamp":"%d","type":"text","text":{"body":%s}}`, quoting(replyTo), ada, quote(id), at.Unix(), quote(text))
}

func pressed(id, token, message string, at time.Time) string {
	return fmt.Sprintf(`{%s"from":"%s","id":%s,"timestamp":"%d","type":"interactive","interactive":{"type":"button_reply","button_reply":{"id":%s,"title":"Yes"}}}`,
		quoting(message), ada, quote(id), at.Unix(), quote(token))
}

// hook is the served webhook.
type hook struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, h http.Handler) *hook {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return &hook{t, s.URL}
}

// send delivers a body with a signature, or none, and gives the status.
func (h *hook) send(body, signature string) int {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if signature != "" {
		req.Header.Set("X-Hub-Signature-256", signature)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func (h *hook) deliver(messages ...string) int {
	h.t.Helper()
	body := batch(messages...)
	return h.send(body, sign(body, secret))
}

func open(t *testing.T, p *platform, change func(*Config)) *WhatsApp {
	t.Helper()
	cfg := Config{Token: give(accessed), AppSecret: give(secret), VerifyToken: give(verify), PhoneNumberID: numberID, BaseURL: p.server.URL,
		HTTP: p.server.Client(), Now: func() time.Time { return noon }}
	if change != nil {
		change(&cfg)
	}
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
