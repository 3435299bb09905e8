// Package slacktest plays Slack for tests: the Web API as its reference pages describe it, Socket Mode, signed HTTP calls, and the
// people who press, write and fill in forms. It is for tests only, knows nothing of the leaf that it is played to, and holds every
// call against the limits that the reference names: what breaks one fails the test.
package slacktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

// What a Server is set up with. No other program knows these values.
const (
	BotToken      = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"
	AppToken      = "xapp-1-A0LONGSHIFT-998877-0123456789abcdef"
	SigningSecret = "8f742231b10e8888abcd99yyyzzz85a5"
	BotUser       = "U0BOT"
	BotID         = "B0BOT"
	General       = "C0GENERAL"
	Gone          = "C0GONE" // a channel that is not there
)

// Scopes are those that the app was installed with.
var Scopes = []string{"app_mentions:read", "channels:history", "chat:write", "commands", "groups:history", "im:history", "mpim:history"}

// Server is one workspace with our app in all of its channels. The first letter of an id tells the kind of a conversation: C is a
// public channel, P a private one, G a group and D one person. It is safe for concurrent use, and any number of programs may come,
// go and break off in the midst of a call.
type Server struct {
	URL           string // base of the Web API
	BotToken      string
	AppToken      string
	SigningSecret string
	General       string // id of a channel
	Socket        *Socket

	t      testing.TB
	client *http.Client

	mu       sync.Mutex
	root     string // of all addresses here
	last     int64  // microseconds of the newest stamp
	count    int    // triggers and answer addresses
	messages []*standing
	answers  []answered
	calls    map[string]int // by method
	needed   map[string]bool
	modals   []*Modal
	triggers map[string]string // by whom they were set off
	commands map[string]string // who may be answered, by the path of the address
	down     bool
	failNext channeltest.Failure
	loseNext bool
	refusals map[string]string // an error code for the next call of a method
	changed  *change
	sent     call // over HTTP
}

// New starts a Slack that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{BotToken: BotToken, AppToken: AppToken, SigningSecret: SigningSecret, General: General, Socket: newSocket(), t: t,
		client: &http.Client{Transport: &http.Transport{}, Timeout: patience}, calls: map[string]int{}, needed: map[string]bool{},
		triggers: map[string]string{}, commands: map[string]string{}, refusals: map[string]string{}, changed: newChange()}
	server := httptest.NewServer(s)
	s.root, s.URL = server.URL, server.URL+"/api"
	t.Cleanup(func() {
		s.Socket.close()
		server.Close()
		s.client.CloseIdleConnections()
	})
	return s
}

// scopesOf are the bot scopes that Slack's reference names for a method, "" for none; for history it depends on the conversation.
var scopesOf = map[string]string{"auth.test": "", "chat.postMessage": "chat:write", "chat.postEphemeral": "chat:write",
	"chat.update": "chat:write", "views.open": "", "conversations.history": "history", "conversations.replies": "history"}

// Methods are those of the Web API that are played with a bot token, in order.
func Methods() (names []string) {
	for name := range scopesOf {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ServeHTTP takes the calls of a program: the Web API below /api/, the socket, and the answer addresses of slash commands.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := s.read(r)
	if err != nil {
		return // whoever called is gone, as a program that was killed
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
		return map[string]any{"url": "https://example.slack.com/", "team": "Example", "user": "longshift", "team_id": "T0",
			"user_id": BotUser, "bot_id": BotID}, ""
	case "chat.postMessage":
		return s.postMessage(p)
	case "chat.update":
		return s.update(p)
	case "chat.postEphemeral":
		return s.postEphemeral(p)
	case "views.open":
		return s.openView(p)
	case "conversations.history":
		return s.history(p, func(m *standing) bool { return m.thread == "" || m.broadcast }, true)
	}
	root := p.need("ts")
	return s.history(p, func(m *standing) bool { return m.thread == root || m.ts == root }, false)
}

// stamp gives a time of its own to each message, in Slack's form.
func (s *Server) stamp() string {
	s.last = max(s.last+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.last/1_000_000, s.last%1_000_000)
}

// Answer writes what Slack answers.
func Answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}

// Deny answers with an error code of Slack's.
func Deny(w http.ResponseWriter, code string) { Answer(w, map[string]any{"ok": false, "error": code}) }
