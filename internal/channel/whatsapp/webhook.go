package whatsapp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/channel"
)

// maxDelivery is in bytes.
const maxDelivery = 1 << 20

// Handler receives the platform's requests: the verification of the webhook, and signed deliveries. A request without a
// signature by the app secret is not parsed. WhatsApp retries a delivery for days, so an event may be old: Event.At has
// its time. Repeated deliveries have the same event ids.
func (w *WhatsApp) Handler(handle channel.Handle) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Content-Type-Options", "nosniff")
		rw.Header().Set("Cache-Control", "no-store")
		switch r.Method {
		case http.MethodGet:
			w.confirm(rw, r)
		case http.MethodPost:
			w.deliver(rw, r, handle)
		default:
			rw.Header().Set("Allow", "GET, POST")
			http.Error(rw, "only GET and POST", http.StatusMethodNotAllowed)
		}
	})
}

// challenge matches the value that the platform expects back. Other values are not echoed.
var challenge = regexp.MustCompile(`^[0-9A-Za-z_-]{1,128}$`)

// confirm answers the verification of the webhook.
func (w *WhatsApp) confirm(rw http.ResponseWriter, r *http.Request) {
	want, err := w.cfg.VerifyToken(r.Context())
	if err != nil || want == "" {
		w.log.ErrorContext(r.Context(), "the whatsapp verify token can't be read; the webhook is not confirmed", "error", err)
		http.Error(rw, "not ready", http.StatusInternalServerError)
		return
	}
	q := r.URL.Query()
	if q.Get("hub.mode") != "subscribe" || !equal(q.Get("hub.verify_token"), want) {
		w.log.WarnContext(r.Context(), "a whatsapp webhook check with the wrong verify token was refused", "from", r.RemoteAddr)
		http.Error(rw, "refused", http.StatusForbidden)
		return
	}
	if !challenge.MatchString(q.Get("hub.challenge")) {
		http.Error(rw, "no challenge", http.StatusBadRequest)
		return
	}
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(rw, q.Get("hub.challenge"))
}

// equal compares in constant time, without revealing the length of the right value.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return hmac.Equal(x[:], y[:])
}

// deliver verifies and handles a delivery.
func (w *WhatsApp) deliver(rw http.ResponseWriter, r *http.Request, handle channel.Handle) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxDelivery))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		w.log.WarnContext(r.Context(), "a whatsapp delivery of more than 1 MiB was refused", "from", r.RemoteAddr)
		http.Error(rw, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(rw, "broken off", http.StatusBadRequest)
		return
	}
	secret, err := w.cfg.AppSecret(r.Context())
	if err != nil || secret == "" {
		w.log.ErrorContext(r.Context(), "the whatsapp app secret can't be read; a delivery was not taken", "error", err)
		http.Error(rw, "not ready", http.StatusInternalServerError)
		return
	}
	if !signed(body, r.Header.Get("X-Hub-Signature-256"), secret) {
		w.log.WarnContext(r.Context(), "a whatsapp delivery without a good signature was refused", "from", r.RemoteAddr, "bytes", len(body))
		http.Error(rw, "refused", http.StatusUnauthorized)
		return
	}
	answers, err := w.receive(r.Context(), body, handle)
	switch {
	case errors.Is(err, errMalformed):
		w.log.ErrorContext(r.Context(), "a signed whatsapp delivery can't be read", "bytes", len(body))
		http.Error(rw, "malformed", http.StatusBadRequest)
		return
	case err != nil:
		w.log.ErrorContext(r.Context(), "a whatsapp delivery could not be taken in; it comes again", "error", err)
		acknowledge(rw, http.StatusInternalServerError)
	default:
		acknowledge(rw, http.StatusOK)
	}
	for _, a := range answers {
		w.answer(r.Context(), a)
	}
}

// acknowledge sends a status now, although the handler goes on: the platform delivers again what is not acknowledged soon, and answers may
// take long. The connection closes, because another request on it would wait for them.
func acknowledge(rw http.ResponseWriter, status int) {
	rw.Header().Set("Connection", "close")
	rw.Header().Set("Content-Length", "0")
	rw.WriteHeader(status)
	_ = http.NewResponseController(rw).Flush()
}

func signed(body []byte, header, secret string) bool {
	given, ok := strings.CutPrefix(header, "sha256=")
	if !ok {
		return false
	}
	sum, err := hex.DecodeString(given)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal(sum, mac.Sum(nil))
}
