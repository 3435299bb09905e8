// Package telegramtest plays Telegram's Bot API and the people who use the app, for one bot. It is for tests only; nothing outside
// of them may import it, and it may not import the channel that it is there to hold to the API's rules.
package telegramtest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// The bot. Token is the only one that the server takes, and has the shape of a real one.
const (
	Token   = "123456789:AAF-test_secret_of_the_bot_0123456789"
	BotID   = 123456789
	BotName = "longshift_bot"
)

// Server plays the Bot API. It is strict: what the real one would refuse, drop or read otherwise fails the test. It is safe for
// concurrent use, and for several programs that poll: as with the real one, a newer poll ends an older one.
type Server struct {
	URL   string // without a slash at the end
	Token string

	t      testing.TB
	http   *httptest.Server
	closed chan struct{}

	mu     sync.Mutex
	chats  map[int64]string // id to type
	stands []*standing      // messages, oldest first, of all chats
	nextID int
	calls  []Call
	down   bool
	fails  []http.HandlerFunc // in place of the next calls that write; a nil one lets its call through
	lose   bool

	presses map[string]int64 // query to user; what nobody answered yet is in waits
	waits   map[string]bool
	alerts  []alert

	queue     []queued
	last      queued
	nextQueue int64
	confirmed int64         // all updates below it are
	offset    int64         // of the latest poll
	polled    chan struct{} // closed when a newer poll comes; nil before the first one
	changed   chan struct{} // closed when an update comes, or all goes down
	pollFails []http.HandlerFunc
	conflicts int
}

// alert is what one who pressed a button got to see.
type alert struct {
	query string
	user  int64
	text  string
}

// Call is one call that came in.
type Call struct {
	Method string
	Params map[string]string // objects in JSON
}

// New starts a server, which ends with the test. Until Open was called, or somebody has written, it knows no chat.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		Token: Token, t: t, closed: make(chan struct{}), chats: map[int64]string{}, nextID: 100, presses: map[string]int64{},
		waits: map[string]bool{}, nextQueue: 5000, changed: make(chan struct{}),
	}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	t.Cleanup(func() {
		close(s.closed)
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// Client is a client that the server can wait for when it ends.
func (s *Server) Client() *http.Client { return s.http.Client() }

// Break drops all connections, and with them the polls that are held open.
func (s *Server) Break() { s.http.CloseClientConnections() }

// Down lets every call fail with 502 from now on, and ends the polls that are held open. With false all is well again.
func (s *Server) Down(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
	s.wake()
}

// Fail answers in place of the next calls that write, one for each. A nil one lets its call through. What an earlier Fail left is
// forgotten.
func (s *Server) Fail(answers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = answers
}

// FailPolls answers in place of the next polls.
func (s *Server) FailPolls(answers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pollFails = answers
}

// Lose lets the next call that writes take effect, and then drops the connection before the answer.
func (s *Server) Lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = true
}

// Calls returns the names of the methods that were called, polls left out, also of those that failed.
func (s *Server) Calls() (names []string) {
	for _, c := range s.Requests() {
		names = append(names, c.Method)
	}
	return names
}

// Requests returns the calls that came in, polls left out, also those that failed.
func (s *Server) Requests() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}
