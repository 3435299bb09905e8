package github

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

func TestWebhookUnreadable(t *testing.T) {
	get := signed("issues", labelled(t))
	get.Method = http.MethodGet
	plain := signed("issues", labelled(t))
	plain.Header.Set("Content-Type", "text/plain")
	untyped := signed("issues", labelled(t))
	untyped.Header.Del("Content-Type")
	for _, c := range []struct {
		name   string
		r      *http.Request
		status int
	}{
		{"other method", get, http.StatusMethodNotAllowed},
		{"other content type", plain, http.StatusBadRequest},
		{"no content type", untyped, http.StatusBadRequest},
		{"no JSON", signed("issues", []byte(`{"action":`)), http.StatusBadRequest},
		{"empty", signed("issues", nil), http.StatusBadRequest},
		{"a list", signed("issues", []byte(`[]`)), http.StatusBadRequest},
		{"no repository", signed("issues", []byte(`{"action":"labeled"}`)), http.StatusBadRequest},
		{"odd repository", signed("issues", []byte(`{"repository":{"full_name":"acme/shop/../x"}}`)), http.StatusBadRequest},
		{"wrong types", signed("issues", []byte(`{"action":"labeled","repository":{"full_name":"acme/shop"},"issue":{"number":"7"}}`)), http.StatusBadRequest},
		{"deep", signed("issues", []byte(strings.Repeat("[", 20_000))), http.StatusBadRequest},
		{"too large", signed("issues", bytes.Repeat([]byte(" "), maxDelivery+1)), http.StatusRequestEntityTooLarge},
		{"as large as may be", signed("issues", append(labelled(t), bytes.Repeat([]byte(" "), maxDelivery-len(labelled(t)))...)), http.StatusAccepted},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEar(t, nil)
			if got := e.send(c.r); got != c.status {
				t.Errorf("answer %d, want %d\n%s", got, c.status, e.log)
			}
		})
	}
}

func TestWebhookNotReady(t *testing.T) {
	broken := errors.New("not there")
	for _, c := range []struct {
		name   string
		change func(c *WebhookConfig)
	}{
		{"no secret", func(c *WebhookConfig) { c.Secret = nil }},
		{"secret not readable", func(c *WebhookConfig) { c.Secret = func(context.Context) (string, error) { return hookSecret, broken } }},
		{"empty secret", func(c *WebhookConfig) { c.Secret = func(context.Context) (string, error) { return "", nil } }},
		{"nobody to deliver to", func(c *WebhookConfig) { c.Deliver = nil }},
		{"account not known", func(c *WebhookConfig) { c.Account = func(context.Context) (string, error) { return "", broken } }},
	} {
		t.Run(c.name, func(t *testing.T) {
			newEar(t, c.change).expect(signed("issues", labelled(t)), http.StatusServiceUnavailable, 0)
		})
	}
	unsigned := signed("issues", labelled(t))
	unsigned.Header.Set("X-Hub-Signature-256", "sha256="+sign(sha256.New, "", labelled(t)))
	e := newEar(t, func(c *WebhookConfig) { c.Secret = func(context.Context) (string, error) { return "", nil } })
	e.expect(unsigned, http.StatusServiceUnavailable, 0)
}

// TestWebhookRedelivered: an event that could not be delivered is refused, and a redelivery has the same ID, whatever the unsigned
// header says.
func TestWebhookRedelivered(t *testing.T) {
	e := newEar(t, nil)
	e.fails = errors.New("the server is away")
	e.expect(signed("issues", labelled(t)), http.StatusServiceUnavailable, 0)
	e.fails = nil
	e.send(signed("issues", labelled(t)))
	again := signed("issues", labelled(t))
	again.Header.Set("X-GitHub-Delivery", "another")
	e.send(again)
	if len(e.events) != 2 || e.events[0].ID != e.events[1].ID {
		t.Errorf("got %+v, want the same ID twice", e.events)
	}
}

func TestWebhookRepositories(t *testing.T) {
	for _, c := range []struct {
		name   string
		list   []string
		status int
	}{
		{"acme/shop", []string{"acme/shop"}, 202},
		{"Acme/Shop", []string{"acme/shop"}, 202},
		{"tools/any", []string{"acme/shop", "tools/*"}, 202},
		{"acme/shop2", []string{"acme/shop"}, 200},
		{"acme2/shop", []string{"acme/*"}, 200},
		{"acme/shop", []string{"*"}, 200},
		{"acme/shop", []string{"*/*"}, 200},
		{"acme/shop", []string{"*/shop"}, 200},
		{"acme/shop", nil, 200},
	} {
		e := newEar(t, func(w *WebhookConfig) { w.Repositories = c.list })
		body := bytes.ReplaceAll(labelled(t), []byte(`"acme/shop"`), []byte(`"`+c.name+`"`))
		if got := e.send(signed("issues", body)); got != c.status || len(e.events) != (c.status-200)/2 {
			t.Errorf("%s of %v: answer %d, %d events", c.name, c.list, got, len(e.events))
		}
	}
}

// TestWebhookOwnAccount: GitHub is asked for the account until it answers, and then no more.
func TestWebhookOwnAccount(t *testing.T) {
	b := newBench(t)
	b.server.SetUser("alice") // who has labelled it
	e := newEar(t, nil)
	delivered := 0
	e.handler = b.forge.Webhook(WebhookConfig{
		Secret:       func(context.Context) (string, error) { return hookSecret, nil },
		Repositories: []string{"acme/shop"},
		Deliver:      func(context.Context, forge.Event) error { delivered++; return nil },
	})
	b.server.Inject(forgetest.Fault{Status: http.StatusUnauthorized, Text: "Bad credentials"}.On("GET", "/user"))
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusOK} {
		if got := e.send(signed("issues", labelled(t))); got != want {
			t.Errorf("answer %d, want %d\n%s", got, want, b.log)
		}
	}
	if n := b.server.Count("GET", "/user"); n != 2 || delivered != 0 {
		t.Errorf("asked %d times, want 2; %d events", n, delivered)
	}
	if strings.Contains(b.log.String(), hookSecret) {
		t.Error("the secret is in the log")
	}
}

// TestWebhookBare: signed payloads with missing or empty fields do no harm.
func TestWebhookBare(t *testing.T) {
	const head = `{"repository":{"full_name":"acme/shop"},"action":"%s"`
	for event := range handlers {
		for _, action := range []string{"labeled", "assigned", "opened", "created", "completed", "closed", "edited", "synchronize", "submitted", "resolved", ""} {
			for _, rest := range []string{
				"}", `,"issue":null,"comment":null,"pull_request":null,"check_run":null,"check_suite":null,"sender":null,"label":null}`,
				`,"issue":{},"comment":{},"pull_request":{},"check_run":{},"check_suite":{},"sender":{},"label":{},"ref":""}`,
				`,"issue":{"number":7,"labels":[null],"assignees":[null]},"check_run":{"pull_requests":[null]},"check_suite":{"pull_requests":[null]},"branches":[null]}`,
			} {
				e := newEar(t, nil)
				e.expect(signed(event, []byte(strings.Replace(head, "%s", action, 1)+rest)), http.StatusOK, 0)
			}
		}
	}
}

// TestWebhookCut: an incomplete delivery is refused.
func TestWebhookCut(t *testing.T) {
	r := signed("issues", labelled(t))
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"action":`), iotest.ErrReader(io.ErrUnexpectedEOF)))
	newEar(t, nil).expect(r, http.StatusBadRequest, 0)
}
