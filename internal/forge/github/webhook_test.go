package github

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

const hookSecret = "a secret of the webhook that nobody may read in a log"

// ear is a webhook and what it has delivered.
type ear struct {
	t       *testing.T
	handler http.Handler
	log     *lockedBuffer
	mu      sync.Mutex
	events  []forge.Event
	fails   error // of Deliver
}

func newEar(t *testing.T, change func(c *WebhookConfig)) *ear {
	t.Helper()
	e := &ear{t: t, log: &lockedBuffer{}}
	f, err := New(Config{Token: func(context.Context) (string, error) { return forgetest.Token, nil }, Now: func() time.Time { return begin }})
	if err != nil {
		t.Fatal(err)
	}
	c := WebhookConfig{
		Secret:       func(context.Context) (string, error) { return hookSecret, nil },
		Account:      func(context.Context) (string, error) { return "longshift-bot", nil },
		Repositories: []string{"acme/shop", "tools/*"},
		Log:          slog.New(slog.NewTextHandler(e.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Deliver: func(ctx context.Context, event forge.Event) error {
			if at, ok := ctx.Deadline(); !ok || time.Until(at) > deliverTime {
				t.Errorf("Deliver has until %v", at)
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.fails != nil {
				return e.fails
			}
			e.events = append(e.events, event)
			return nil
		},
	}
	if change != nil {
		change(&c)
	}
	e.handler = f.Webhook(c)
	t.Cleanup(func() {
		if strings.Contains(e.log.String(), hookSecret) {
			t.Error("the secret is in the log")
		}
	})
	return e
}

func sign(h func() hash.Hash, secret string, body []byte) string {
	mac := hmac.New(h, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// signed is a delivery as GitHub sends it.
func signed(event string, body []byte) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhook/github", bytes.NewReader(body))
	r.Header.Set("User-Agent", "GitHub-Hookshot/044aadd")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958")
	r.Header.Set("X-GitHub-Event", event)
	r.Header.Set("X-GitHub-Hook-ID", "292430182")
	r.Header.Set("X-Hub-Signature-256", "sha256="+sign(sha256.New, hookSecret, body))
	r.Header.Set("X-Hub-Signature", "sha1="+sign(sha1.New, hookSecret, body))
	return r
}

func (e *ear) send(r *http.Request) int {
	e.t.Helper()
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	if strings.Contains(w.Body.String(), hookSecret) {
		e.t.Error("the secret is in the answer")
	}
	return w.Code
}

// expect sends a delivery and checks its answer and its number of events.
func (e *ear) expect(r *http.Request, status, events int) {
	e.t.Helper()
	e.events = nil
	if got := e.send(r); got != status || len(e.events) != events {
		e.t.Errorf("answer %d with %d events, want %d with %d: %+v\n%s", got, len(e.events), status, events, e.events, e.log)
	}
}

var shopRepo = map[string]any{"full_name": "acme/shop", "id": 4711, "name": "shop"}

// labelled is the payload for an issue that alice has labelled.
func labelled(t *testing.T) []byte {
	return forgetest.Hook(t, "issues-labeled", map[string]any{
		"repository": shopRepo, "sender": forgetest.Person("alice"), "label": map[string]any{"name": "longshift"},
		"issue": map[string]any{"number": 7, "state": "open", "updated_at": "2026-03-01T10:00:00Z"},
	})
}

func TestWebhookSignature(t *testing.T) {
	body := labelled(t)
	for _, c := range []struct {
		name   string
		change func(r *http.Request)
	}{
		{"unsigned", func(r *http.Request) { r.Header.Del("X-Hub-Signature-256"); r.Header.Del("X-Hub-Signature") }},
		{"only SHA-1", func(r *http.Request) { r.Header.Del("X-Hub-Signature-256") }},
		{"SHA-1 in the other header", func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", r.Header.Get("X-Hub-Signature")) }},
		{"another secret", func(r *http.Request) {
			r.Header.Set("X-Hub-Signature-256", "sha256="+sign(sha256.New, "guess", body))
		}},
		{"empty secret", func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", "sha256="+sign(sha256.New, "", body)) }},
		{"no signature after the name", func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", "sha256=") }},
		{"no hexadecimal", func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", "sha256=zz") }},
		{"cut", func(r *http.Request) {
			r.Header.Set("X-Hub-Signature-256", r.Header.Get("X-Hub-Signature-256")[:40])
		}},
		{"body changed", func(r *http.Request) {
			*r = *signedAs(r, bytes.Replace(body, []byte(`"number":7`), []byte(`"number":8`), 1))
		}},
		{"form unsigned", func(r *http.Request) {
			*r = *signedAs(r, []byte(url.Values{"payload": {string(body)}}.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEar(t, nil)
			r := signed("issues", body)
			c.change(r)
			e.expect(r, http.StatusUnauthorized, 0)
			if log := e.log.String(); !strings.Contains(log, "72d3162e-cc78-11e3-81ab-4c9367dc0958") {
				t.Errorf("the delivery is not in the log: %s", log)
			}
		})
	}
	newEar(t, nil).expect(signed("issues", body), http.StatusAccepted, 1)
}

// signedAs keeps the headers of a request, including the signature, and replaces its body.
func signedAs(r *http.Request, body []byte) *http.Request {
	other := httptest.NewRequest(http.MethodPost, r.URL.Path, bytes.NewReader(body))
	other.Header = r.Header
	return other
}

func TestWebhookForm(t *testing.T) {
	form := []byte(url.Values{"payload": {string(labelled(t))}}.Encode())
	r := signed("issues", form)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	newEar(t, nil).expect(r, http.StatusAccepted, 1)
}
