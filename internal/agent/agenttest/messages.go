package agenttest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// messagesAPI is Anthropic's.
type messagesAPI struct{}

const noVersion = "anthropic-version: header is required"

func (messagesAPI) read(header http.Header, body []byte) (request, error) {
	var b struct {
		request
		Metadata struct {
			UserID string `json:"user_id"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return b.request, fmt.Errorf("body is not a request: %w", err)
	}
	var id struct {
		Session string `json:"session_id"`
	}
	q := b.request
	if json.Unmarshal([]byte(b.Metadata.UserID), &id) == nil {
		q.Session = id.Session
	}
	if header.Get("Anthropic-Version") == "" {
		return q, errors.New(noVersion)
	}
	root := "MessageNewParams"
	if header.Get("Anthropic-Beta") != "" {
		root = "BetaMessageNewParams"
	}
	if err := describedAs(root, body); err != nil {
		return q, err
	}
	return q, q.validate()
}

func (messagesAPI) reply(a answer) reply { return messagesReply{a} }

func (messagesAPI) refusal(f *Fault) []byte {
	return encode(messagesError(cmp.Or(f.Type, errorType(f.Status)), f.Body))
}

func messagesError(kind, message string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}, "request_id": "req_scripted"}
}

// errorType is the API's name for a status.
func errorType(status int) string {
	switch status {
	case 400:
		return "invalid_request_error"
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	default:
		return "api_error"
	}
}
