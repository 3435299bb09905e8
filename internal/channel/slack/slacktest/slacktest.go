// Package slacktest simulates Slack for tests: the Web API according to its reference, Socket Mode, signed HTTP
// requests, and people who press buttons, write and fill in forms. It is for tests only and may not import the channel
// under test. It checks every call against the limits in the reference, and fails the test on a violation.
package slacktest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

const (
	BotToken      = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"
	AppToken      = "xapp-1-A0LONGSHIFT-998877-0123456789abcdef"
	SigningSecret = "8f742231b10e8888abcd99yyyzzz85a5"
	BotUser       = "U0BOT"
	BotID         = "B0BOT"
	Team          = "T0"
	General       = "C0GENERAL"
	Gone          = "C0GONE" // a channel that does not exist
)

// Scopes are those of the installed app.
var Scopes = []string{"app_mentions:read", "channels:history", "chat:write", "commands", "files:write",
	"groups:history", "im:history", "mpim:history"}

// Server is one workspace with the app in all of its channels. The first letter of an id is the kind of conversation: C
// is a public channel, P a private one, G a group and D a chat with one person. It is safe for concurrent use, and
// callers may disconnect at any time.
type Server struct {
	URL           string // base of the Web API
	BotToken      string
	AppToken      string
	SigningSecret string
	General       string // id of a channel
	Socket        *Socket

	*shared
	*conversations
	*views
	*files
	*failures
	*webhooks

	calls  map[string]int // by method
	needed map[string]bool
	down   bool
}

// shared is what the parts of a server have in common. Its lock guards them all, because a call may change several.
type shared struct {
	t       testing.TB
	root    string // path prefix of all URLs
	changed *change

	mu    sync.Mutex
	last  int64 // microseconds of the latest timestamp
	count int   // number of triggers and response URLs
}

// New starts a server that stops when the test ends.
func New(t testing.TB) *Server {
	all := &shared{t: t, changed: newChange()}
	talk := &conversations{shared: all, commands: map[string]string{}}
	s := &Server{BotToken: BotToken, AppToken: AppToken, SigningSecret: SigningSecret, General: General, Socket: newSocket(),
		shared: all, conversations: talk,
		views:    &views{shared: all, triggers: map[string]string{}, homes: map[string]Home{}},
		files:    &files{shared: all, talk: talk, uploads: map[string]*upload{}},
		failures: &failures{shared: all, refusals: map[string]string{}},
		webhooks: &webhooks{shared: all, client: &http.Client{Transport: &http.Transport{}, Timeout: patience}},
		calls:    map[string]int{}, needed: map[string]bool{}}
	server := httptest.NewServer(s)
	s.root, s.URL = server.URL, server.URL+"/api"
	t.Cleanup(func() {
		s.Socket.close()
		server.Close()
		s.client.CloseIdleConnections()
	})
	return s
}
