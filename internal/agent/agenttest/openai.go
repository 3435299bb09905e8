package agenttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// openaiBody is what requests of both of OpenAI's APIs say alike.
type openaiBody struct {
	Model          string            `json:"model"`
	Stream         bool              `json:"stream"`
	Store          *bool             `json:"store"`
	PromptCacheKey string            `json:"prompt_cache_key"`
	Metadata       map[string]string `json:"metadata"`
	ClientMetadata map[string]string `json:"client_metadata"` // Codex
}

// sessionOf is the id of the agent's session. A thread's is the narrowest: those of helpers are in the session of their parent.
func (b openaiBody) sessionOf(header http.Header) string {
	return cmp.Or(header.Get("Thread-Id"), header.Get("Session-Id"), header.Get("X-Session-Id"), header.Get("Session_id"), header.Get("Conversation_id"),
		b.ClientMetadata["thread_id"], b.ClientMetadata["session_id"], b.PromptCacheKey, b.Metadata["session_id"])
}

// openaiText makes the texts of OpenAI's APIs those of the Messages API.
func openaiText(content blocks) blocks {
	for i, b := range content {
		switch b.Type {
		case "input_text", "output_text", "refusal":
			content[i].Type = "text"
		}
	}
	return content
}

// jsonOf is the input of a call: arguments are JSON, and a custom tool takes any text.
func jsonOf(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return encode(text)
}

// callID is the id of a call as OpenAI's APIs write it.
func callID(c map[string]any) string {
	return "call_" + strings.TrimPrefix(fmt.Sprint(c["id"]), "toolu_")
}

// arguments are the input of a function. A tool without input is called with an empty object.
func arguments(c map[string]any) string {
	if text := string(encode(c["input"])); text != "null" {
		return text
	}
	return "{}"
}

func (a answer) inputTokens() int64 { return a.usage.Input + a.usage.CacheRead + a.usage.CacheWrite }

func openaiRefusal(f *Fault) []byte {
	kind, code := openaiError(f.Status)
	return encode(openaiErrorBody(cmp.Or(f.Type, kind), cmp.Or(f.Code, code), f.Body))
}

func openaiErrorBody(kind, code, message string) map[string]any {
	e := map[string]any{"message": message, "type": kind, "code": nil, "param": nil}
	if code != "" {
		e["code"] = code
	}
	return map[string]any{"error": e}
}

// openaiError is how the API names a status.
func openaiError(status int) (kind, code string) {
	switch status {
	case http.StatusUnauthorized:
		return "invalid_request_error", "invalid_api_key"
	case http.StatusTooManyRequests:
		return "requests", "rate_limit_exceeded"
	case http.StatusServiceUnavailable:
		return "service_unavailable_error", "server_is_overloaded"
	}
	if status >= http.StatusInternalServerError {
		return "server_error", ""
	}
	return "invalid_request_error", ""
}
