package slacktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// scopesOf are the bot scopes of each method in Slack's reference, "" for none; those of history depend on the
// conversation.
var scopesOf = map[string]string{"auth.test": "", "chat.postMessage": "chat:write", "chat.postEphemeral": "chat:write",
	"files.getUploadURLExternal": "files:write", "files.completeUploadExternal": "files:write",
	"chat.update": "chat:write", "views.open": "", "views.publish": "", "conversations.history": "history", "conversations.replies": "history"}

// Methods lists the simulated methods of the Web API, sorted.
func Methods() (names []string) {
	for name := range scopesOf {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ServeHTTP serves the Web API below /api/, the socket, and the response URLs of slash commands.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := read(s.t, r)
	if err != nil {
		return // the caller is gone, like a program that was killed
	}
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	switch {
	case down:
		http.Error(w, "<html>unavailable</html>", http.StatusServiceUnavailable)
	case r.URL.Path == "/api/apps.connections.open":
		s.Socket.open(w, r, p.token)
	case r.URL.Path == "/socket":
		s.Socket.serve(w, r)
	case strings.HasPrefix(r.URL.Path, "/upload/"):
		s.upload(w, r, p)
	case strings.HasPrefix(r.URL.Path, "/commands/"):
		s.respond(w, r.URL.Path, p)
	default:
		s.method(w, r, p)
	}
}

func (s *Server) method(w http.ResponseWriter, r *http.Request, p params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[p.method]++
	scope, known := scopesOf[p.method]
	if !known || r.Method != http.MethodPost {
		s.t.Errorf("call of %s %s", r.Method, r.URL.Path)
		Deny(w, "unknown_method")
		return
	}
	if p.token != BotToken {
		Deny(w, "invalid_auth")
		return
	}
	if scope == "history" {
		scope = historyScope(p.values["channel"])
	}
	if scope != "" {
		s.needed[scope] = true
		if !slices.Contains(Scopes, scope) {
			Answer(w, map[string]any{"ok": false, "error": "missing_scope", "needed": scope, "provided": strings.Join(Scopes, ",")})
			return
		}
	}
	if s.fails(w, p.method) {
		return
	}
	result, code := s.carryOut(p)
	if code != "" {
		Deny(w, code)
		return
	}
	if writes(p.method) && s.loseNext {
		s.loseNext = false
		panic(http.ErrAbortHandler)
	}
	result["ok"] = true
	Answer(w, result)
}

func (s *Server) carryOut(p params) (map[string]any, string) {
	switch p.method {
	case "auth.test":
		return map[string]any{"url": "https://example.slack.com/", "team": "Example", "user": "longshift", "team_id": Team,
			"user_id": BotUser, "bot_id": BotID}, ""
	case "chat.postMessage":
		return s.postMessage(p)
	case "chat.update":
		return s.update(p)
	case "chat.postEphemeral":
		return s.postEphemeral(p)
	case "files.getUploadURLExternal":
		return s.announce(p)
	case "files.completeUploadExternal":
		return s.complete(p)
	case "views.open":
		return s.openView(p)
	case "views.publish":
		return s.publishView(p)
	case "conversations.history":
		return s.history(p, func(m *standing) bool { return m.thread == "" || m.broadcast }, true)
	}
	root := p.need("ts")
	in := func(m *standing) bool { return m.channel == p.values["channel"] && (m.thread == root || m.ts == root) }
	if !slices.ContainsFunc(s.messages, in) {
		return nil, "thread_not_found"
	}
	return s.history(p, in, false)
}

// stamp returns a unique timestamp in Slack's format.
func (a *shared) stamp() string {
	a.last = max(a.last+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", a.last/1_000_000, a.last%1_000_000)
}

func Answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}

// Deny writes an error answer with one of Slack's codes.
func Deny(w http.ResponseWriter, code string) { Answer(w, map[string]any{"ok": false, "error": code}) }
