// Package telegramtest simulates Telegram's Bot API and the users of the app, for one bot. It is for tests only: other
// code may not import it, and it may not import the channel under test.
package telegramtest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// The bot. The server accepts only Token, which has the form of a real one.
const (
	Token   = "123456789:AAF-test_secret_of_the_bot_0123456789"
	BotID   = 123456789
	BotName = "longshift_bot"
)

// Server simulates the Bot API. It is strict: what the real one would refuse, drop or interpret fails the test. It is
// safe for concurrent use and several polling programs: as with the real one, a newer poll ends an older one.
type Server struct {
	URL   string // without a trailing slash
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
	fails  []http.HandlerFunc // answers to the next writing calls; nil lets a call succeed
	lose   bool

	presses map[string]int64 // users by query; unanswered queries are in waits
	waits   map[string]bool
	alerts  []alert

	queue     []queued
	last      queued
	nextQueue int64
	confirmed int64         // all updates below are confirmed
	offset    int64         // of the latest poll
	polled    chan struct{} // closed when a newer poll begins; nil before the first
	held      int           // polls that wait for an update
	changed   chan struct{} // closed on a new update and on shutdown
	pollFails []http.HandlerFunc
	conflicts int
}

// alert is shown to a user who pressed a button.
type alert struct {
	query string
	user  int64
	text  string
}

type Call struct {
	Method string
	Params map[string]string // objects as JSON
}

// New starts a server that stops when the test ends. It knows no chat before Open or the first message of a user.
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

// Client is a client whose connections the server closes when it stops.
func (s *Server) Client() *http.Client { return s.http.Client() }

// Break drops all connections, including open polls.
func (s *Server) Break() { s.http.CloseClientConnections() }

// Down makes every call fail with 502, and ends open polls. Down(false) ends the outage.
func (s *Server) Down(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
	s.wake()
}

// Fail sets the answers to the next writing calls, one for each. nil lets a call succeed. It replaces those of an
// earlier Fail.
func (s *Server) Fail(answers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = answers
}

func (s *Server) FailPolls(answers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pollFails = answers
}

// Lose lets the next writing call take effect, and then drops the connection before the answer.
func (s *Server) Lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = true
}

// Calls returns the methods that were called, including failed calls but not polls.
func (s *Server) Calls() (names []string) {
	for _, c := range s.Requests() {
		names = append(names, c.Method)
	}
	return names
}

// Requests returns the received calls, including failed ones but not polls.
func (s *Server) Requests() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}
