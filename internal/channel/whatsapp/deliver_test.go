package whatsapp

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
)

const (
	numberID = whatsapptest.PhoneID
	accessed = whatsapptest.Token
	secret   = whatsapptest.AppSecret
	verify   = whatsapptest.VerifyToken
	ada      = "16505551234"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func sign(body, with string) string { return whatsapptest.Sign(body, with) }

// batch is a delivery with messages of Ada.
func batch(messages ...string) string { return whatsapptest.Batch(ada, "Ada", messages...) }

func said(id, text, replyTo string, at time.Time) string {
	return whatsapptest.Said(ada, id, text, replyTo, at)
}

func pressed(id, token, message string, at time.Time) string {
	return whatsapptest.Pressed(ada, id, token, "Yes", message, at)
}

// hook is the served webhook.
type hook struct {
	platform *whatsapptest.Server
	url      string
	busy     sync.WaitGroup
}

func serve(t *testing.T, p *whatsapptest.Server, handler http.Handler) *hook {
	h := &hook{platform: p}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.busy.Add(1)
		defer h.busy.Done()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	h.url = s.URL
	return h
}

// send delivers a body with a signature, or none, and returns the status once the answers are sent.
func (h *hook) send(body, signature string) int {
	defer h.busy.Wait()
	return h.platform.Post(h.url, body, signature)
}

func (h *hook) deliver(messages ...string) int {
	body := batch(messages...)
	return h.send(body, sign(body, secret))
}

func open(t *testing.T, p *whatsapptest.Server, change func(*Config)) *WhatsApp {
	t.Helper()
	cfg := Config{Token: give(accessed), AppSecret: give(secret), VerifyToken: give(verify), PhoneNumberID: numberID, BaseURL: p.URL,
		HTTP: p.Client(), Now: func() time.Time { return noon }}
	if change != nil {
		change(&cfg)
	}
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
