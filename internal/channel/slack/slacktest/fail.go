package slacktest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

// failures are those that a test has asked for.
type failures struct {
	*shared
	failNext channeltest.Failure
	loseNext bool
	refusals map[string]string // error code for the next call of a method
}

// Down simulates an outage: until Down(false), each call gets 503 and there are no connections. Events in the meantime
// wait for the next connection.
func (s *Server) Down(away bool) {
	s.mu.Lock()
	s.down = away
	s.mu.Unlock()
	s.Socket.away(away)
}

// Fail makes the next writing call fail, once.
func (f *failures) Fail(kind channeltest.Failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failNext = kind
}

// Lose lets the next writing call take effect, and breaks the connection before the answer.
func (f *failures) Lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loseNext = true
}

// Refuse answers the next call of a method with one of Slack's error codes.
func (f *failures) Refuse(method, code string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refusals[method] = code
}

func (s *Server) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}

// Needed lists the scopes that the calls needed, sorted.
func (s *Server) Needed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.needed))
}

func writes(method string) bool {
	return strings.HasPrefix(method, "chat.") || method == "files.completeUploadExternal"
}

// fails answers with the failure that a test has set.
func (f *failures) fails(w http.ResponseWriter, method string) bool {
	if code := f.refusals[method]; code != "" {
		delete(f.refusals, method)
		Answer(w, map[string]any{"ok": false, "error": code, "needed": map[string]string{"missing_scope": scopesOf[method]}[code]})
		return true
	}
	if !writes(method) {
		return false
	}
	kind := f.failNext
	f.failNext = ""
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
