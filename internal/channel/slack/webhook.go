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

const maxBody = 1 << 20 // bytes of a call

// Handler takes Slack's calls: events, presses and forms, and slash commands may all be sent to it. A call that is not signed by
// the signing secret, or not within five minutes of now, gets 401, and a body of more than 1 MB gets 413; nothing of them is read.
// An event that the handler does not take within 2.5 seconds gets 500, and Slack delivers it again. It does so for nothing else: presses, forms
// and commands are acknowledged, and tried again here for half a minute.
func (s *Slack) Handler(hear channel.Handle) http.Handler {
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
		after, err := s.take(context.WithoutCancel(r.Context()), hear, kind, payload)
		if err != nil {
			s.log.WarnContext(r.Context(), "Slack call not taken in", "kind", kind, "error", err)
			http.Error(w, "not taken in, deliver it again", http.StatusInternalServerError)
			return
		}
		// An empty answer acknowledges, and closes a form. It leaves now, for what comes after may take longer than Slack waits; so would a
		// next call on the same connection.
		w.Header().Set("Connection", "close")
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		after()
	})
}

// admit gives the body of a call that Slack signed, or answers and gives nil.
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

// unpack finds out what a call carries, and gives it as Socket Mode would.
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

// challengeIn gives what Slack wants to hear when it asks whether an address is ours.
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
