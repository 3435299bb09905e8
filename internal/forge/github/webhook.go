package github

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

const (
	maxDelivery  = 1 << 20         // bytes; GitHub's own limit is 25 MB, which only huge pushes approach
	deliverTime  = 8 * time.Second // GitHub hangs up after 10
	defaultLabel = "longshift"
)

// WebhookConfig configures a webhook. Without Secret, Repositories or Deliver it answers 503.
type WebhookConfig struct {
	Secret       func(ctx context.Context) (string, error)      // asked for each delivery; never logged
	Label        string                                         // requests work on an issue; "" is longshift
	Repositories []string                                       // owner/name or owner/*; others are ignored
	Account      func(ctx context.Context) (string, error)      // user name of the token, "" for that of an app; nil asks GitHub once
	Deliver      func(ctx context.Context, e forge.Event) error // has 8 s; may be called again with the same ID
	Log          *slog.Logger                                   // nil is the log of the forge
}

// Webhook returns the handler for GitHub's deliveries. It answers 202 to what was delivered, 200 to what does not concern Longshift,
// 401 without a valid SHA-256 signature, 413 and 400 to what can't be read, and 503 when the event could not be delivered: a person can
// have GitHub send it again, and a poll finds it anyway.
func (f *Forge) Webhook(c WebhookConfig) http.Handler {
	if c.Label == "" {
		c.Label = defaultLabel
	}
	if c.Log == nil {
		c.Log = f.log
	}
	if c.Account == nil {
		c.Account = (&askedOnce{ask: f.Account, now: f.now}).login
	}
	return &webhook{WebhookConfig: c, host: f.host, now: f.now}
}

type webhook struct {
	WebhookConfig
	host string
	now  func() time.Time
}

// refusal is the answer to a delivery that failed.
type refusal struct {
	status int
	text   string // shown by GitHub; contains nothing that the sender does not know
	err    error  // logged
}

func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), deliverTime)
	defer cancel()
	log := h.Log.With("delivery", short(gh.DeliveryID(r)), "event", short(gh.WebHookType(r)))
	n, bad := h.take(ctx, w, r)
	switch {
	case bad != nil:
		log.Warn("GitHub: webhook refused", "status", bad.status, "reason", bad.text, "error", bad.err)
		http.Error(w, bad.text, bad.status)
	case n == 0:
		log.Debug("GitHub: webhook passed over")
		w.WriteHeader(http.StatusOK)
	default:
		log.Debug("GitHub: webhook delivered", "events", n)
		w.WriteHeader(http.StatusAccepted)
	}
}

// take handles one delivery and returns the number of its events.
func (h *webhook) take(ctx context.Context, w http.ResponseWriter, r *http.Request) (int, *refusal) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return 0, &refusal{status: http.StatusMethodNotAllowed, text: "only POST"}
	}
	payload, bad := h.verified(ctx, w, r)
	if bad != nil {
		return 0, bad
	}
	events, err := h.events(ctx, gh.WebHookType(r), payload)
	var broken *brokenError
	switch {
	case errors.As(err, &broken):
		return 0, &refusal{http.StatusBadRequest, "the payload is not what GitHub sends", err}
	case err != nil:
		return 0, &refusal{http.StatusServiceUnavailable, "not ready", err}
	}
	for _, e := range events {
		if err := h.Deliver(ctx, e); err != nil {
			return 0, &refusal{http.StatusServiceUnavailable, "the event could not be handed on", err}
		}
	}
	return len(events), nil
}

// verified returns the payload of a request that GitHub has signed. Nothing is decoded before that.
func (h *webhook) verified(ctx context.Context, w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	unsigned := func(err error) *refusal {
		return &refusal{http.StatusUnauthorized, "the signature is missing or wrong", err}
	}
	signature := r.Header.Get(gh.SHA256SignatureHeader)
	if !strings.HasPrefix(signature, "sha256=") { // the library would accept SHA-1 too
		return nil, unsigned(errors.New("there is no SHA-256 signature"))
	}
	if h.Secret == nil || h.Deliver == nil {
		return nil, &refusal{http.StatusServiceUnavailable, "not ready", errors.New("the webhook has no secret or nobody to deliver to")}
	}
	secret, err := h.Secret(ctx)
	if err == nil && secret == "" {
		err = errors.New("the secret is empty")
	}
	if err != nil {
		return nil, &refusal{http.StatusServiceUnavailable, "not ready", err}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDelivery))
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig):
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB", nil}
	case err != nil:
		return nil, &refusal{http.StatusBadRequest, "the body can't be read", err}
	}
	if err := gh.ValidateSignature(signature, body, []byte(secret)); err != nil {
		return nil, unsigned(errors.New("the signature does not fit the body and our secret"))
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, &refusal{http.StatusBadRequest, "the content type can't be read", err}
	}
	payload, err := gh.ValidatePayloadFromBody(kind, bytes.NewReader(body), signature, []byte(secret))
	if err != nil {
		return nil, &refusal{http.StatusBadRequest, "set the content type of the webhook to application/json", err}
	}
	return payload, nil
}

// short limits what strangers can write into the log.
func short(s string) string { return strings.ToValidUTF8(s[:min(len(s), 64)], "") }
