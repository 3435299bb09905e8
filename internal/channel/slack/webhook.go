package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

const maxBody = 1 << 20 // bytes of a request

// Handler receives Slack's requests: events, presses, forms and slash commands can all be sent to it. A request without
// a valid signature, or more than five minutes old, gets 401, and a body of more than 1 MB gets 413; neither is parsed.
// An event that is not handled within 2.5 seconds gets 500, and Slack delivers it again. Presses, forms and commands are
// not redelivered by Slack, so they are acknowledged, and retried here for half a minute.
func (s *Slack) Handler(handle channel.Handle) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := s.admit(w, r)
		if body == nil {
			return
		}
		kind, payload, err := unpack(r, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if challenge := challengeIn(kind, payload); challenge != "" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			_, _ = io.WriteString(w, challenge)
			return
		}
		after, err := s.receive(context.WithoutCancel(r.Context()), handle, kind, payload)
		if err != nil {
			s.log.WarnContext(r.Context(), "Slack call not taken in", "kind", kind, "error", err)
			http.Error(w, "not taken in, deliver it again", http.StatusInternalServerError)
			return
		}
		// An empty answer acknowledges, and closes a form. It is sent now, because the rest may take longer than Slack
		// waits, and so would another request on the same connection.
		w.Header().Set("Connection", "close")
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		after()
	})
}

// admit returns the body of a request that Slack signed, or answers and returns nil.
func (s *Slack) admit(w http.ResponseWriter, r *http.Request) []byte {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			s.refuse(w, r, http.StatusRequestEntityTooLarge, errors.New("more than 1 MB"))
		} else {
			s.refuse(w, r, http.StatusBadRequest, errors.New("the body ends early"))
		}
		return nil
	}
	key, err := secret(r.Context(), s.signing, "signing secret")
	if err != nil {
		status := http.StatusUnauthorized
		if fault.KindOf(err).Retryable() {
			status = http.StatusInternalServerError
		}
		s.refuse(w, r, status, err)
		return nil
	}
	if err := verify(r.Header, body, key, s.now()); err != nil {
		s.refuse(w, r, http.StatusUnauthorized, err)
		return nil
	}
	return body
}

func (s *Slack) refuse(w http.ResponseWriter, r *http.Request, status int, why error) {
	s.log.WarnContext(r.Context(), "Slack call refused", "from", r.RemoteAddr, "status", status, "error", why)
	http.Error(w, http.StatusText(status), status)
}

var errForm = errors.New("neither an event, an interaction nor a command")

// unpack returns kind and payload of a request, as Socket Mode would deliver them.
func unpack(r *http.Request, body []byte) (kind string, payload []byte, err error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch media {
	case "application/json":
		return callEvent, body, nil
	case "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return "", nil, errForm
		}
		if p := form.Get("payload"); p != "" {
			return callInteraction, []byte(p), nil
		}
		if form.Get("command") != "" {
			payload, err := json.Marshal(commandOf(form))
			return callCommand, payload, err
		}
	}
	return "", nil, errForm
}

// challengeIn returns the value that Slack expects back when it verifies a URL.
func challengeIn(kind string, payload []byte) string {
	if kind != callEvent {
		return ""
	}
	c, err := read[callback](payload)
	if err != nil || c.Type != "url_verification" {
		return ""
	}
	return c.Challenge
}
