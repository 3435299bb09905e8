package slacktest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

// Down lets Slack be away: until Down(false) each call is answered with 503, and nobody is connected. What people do in the meantime
// waits for the next connection.
func (s *Server) Down(away bool) {
	s.mu.Lock()
	s.down = away
	s.mu.Unlock()
	s.Socket.away(away)
}

// Fail lets the next call that writes fail, once.
func (s *Server) Fail(kind channeltest.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failNext = kind
}

// Lose lets the next call that writes take effect, and breaks the connection before the answer.
func (s *Server) Lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loseNext = true
}

// Refuse answers the next call of a method with an error code of Slack's.
func (s *Server) Refuse(method, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[method] = code
}

// Calls says how often each method was called.
func (s *Server) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}

// Needed returns the scopes that the calls needed, in order.
func (s *Server) Needed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.needed))
}

func writes(method string) bool { return strings.HasPrefix(method, "chat.") }

// fails answers in the way that a test asked for.
func (s *Server) fails(w http.ResponseWriter, method string) bool {
	if code := s.refusals[method]; code != "" {
		delete(s.refusals, method)
		Deny(w, code)
		return true
	}
	if !writes(method) {
		return false
	}
	kind := s.failNext
	s.failNext = ""
	switch kind {
	case channeltest.ServerError:
		http.Error(w, "<html>unavailable</html>", http.StatusServiceUnavailable)
	case channeltest.RateLimit:
		w.Header().Set("Retry-After", fmt.Sprint(int(channeltest.Wait.Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
		Answer(w, map[string]any{"ok": false, "error": "ratelimited"})
	case channeltest.BadToken:
		Deny(w, "token_revoked")
	case channeltest.NoRoom:
		Deny(w, "channel_not_found")
	}
	return kind != ""
}
