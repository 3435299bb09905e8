// Package slacktest simulates Slack for tests: the Web API according to its reference, Socket Mode, signed HTTP
// requests, and people who press buttons, write and fill in forms. It is for tests only and may not import the channel
// under test. It checks every call against the limits in the reference, and fails the test on a violation.
package slacktest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/channel/channeltest"
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

	t      testing.TB
	client *http.Client

	mu       sync.Mutex
	root     string // path prefix of all URLs
	last     int64  // microseconds of the latest timestamp
	count    int    // number of triggers and response URLs
	messages []*standing
	answers  []answered
	calls    map[string]int // by method
	needed   map[string]bool
	modals   []*Modal
	homes    map[string]Home    // by user
	uploads  map[string]*upload // by id
	triggers map[string]string  // users by trigger
	commands map[string]string  // users by path of the response URL
	down     bool
	failNext channeltest.Failure
	loseNext bool
	refusals map[string]string // error code for the next call of a method
	changed  *change
	sent     call // the last HTTP request
}

// New starts a server that stops when the test ends.
func New(t testing.TB) *Server {
	s := &Server{BotToken: BotToken, AppToken: AppToken, SigningSecret: SigningSecret, General: General, Socket: newSocket(), t: t,
		client: &http.Client{Transport: &http.Transport{}, Timeout: patience}, calls: map[string]int{}, needed: map[string]bool{},
		triggers: map[string]string{}, commands: map[string]string{}, refusals: map[string]string{},
		uploads: map[string]*upload{}, homes: map[string]Home{}, changed: newChange()}
	server := httptest.NewServer(s)
	s.root, s.URL = server.URL, server.URL+"/api"
	t.Cleanup(func() {
		s.Socket.close()
		server.Close()
		s.client.CloseIdleConnections()
	})
	return s
}
