package agenttest

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// apiOf tells the clients of Anthropic's API and OpenAI's apart, at endpoints that both have.
func apiOf(header http.Header) api {
	if header.Get("Anthropic-Version") == "" && header.Get("X-Api-Key") == "" && header.Get("Authorization") != "" {
		return responsesAPI{}
	}
	return messagesAPI{}
}

func (s *Server) countTokens(w http.ResponseWriter, r *http.Request) {
	n, _ := io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]int64{"input_tokens": n/4 + 1})
}

// models lists no model, to those who have the key.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	c := &Call{Time: time.Now(), Header: r.Header, api: apiOf(r.Header)}
	list := map[string]any{"object": "list", "data": []any{}}
	if c.api == (messagesAPI{}) {
		list = map[string]any{"data": []any{}, "has_more": false, "first_id": nil, "last_id": nil}
	}
	switch {
	case !s.known(r.Header):
		s.refuse(w, c, http.StatusUnauthorized, wrongKey)
	case c.api == (messagesAPI{}) && r.Header.Get("Anthropic-Version") == "":
		s.refuse(w, c, http.StatusBadRequest, noVersion)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(encode(list))
	}
}
