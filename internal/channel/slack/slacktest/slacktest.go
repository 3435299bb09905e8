// Package slacktest plays Slack for tests: the Web API as its reference pages describe it, Socket Mode, signed HTTP calls, and the
// people who press, write and fill in forms. It is for tests only, knows nothing of the leaf that it is played to, and holds every
// call against the limits that the reference names: what breaks one fails the test.
package slacktest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

// What a Server is set up with. No other program knows these values.
const (
	BotToken      = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"
	AppToken      = "xapp-1-A0LONGSHIFT-998877-0123456789abcdef"
	SigningSecret = "8f742231b10e8888abcd99yyyzzz85a5"
	BotUser       = "U0BOT"
	BotID         = "B0BOT"
	Team          = "T0"
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
