// Package whatsapptest simulates WhatsApp's Business Cloud API for one business number, and the people who write to it.
// It is for tests only: other code may not import it, and it may not import the channel under test.
package whatsapptest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

const (
	Token       = "EAAJB-secret-access-token-0123456789"
	AppSecret   = "0123456789abcdef0123456789abcdef"
	VerifyToken = "a verify token & more"
	PhoneID     = "106540352242922"
)

// Message is a message of the business that the platform accepted. Messages can't be changed.
type Message struct {
	ID       string
	To       string // a phone number, or the id of a person who hides it
	Text     string // as people see it: without marks
	Sent     string // as it was sent
	Buttons  []Button
	QuotedID string // the quoted message, or ""
	Key      string // returned by the platform with the message's status
	Type     string // "text" or "interactive"
}

type Button struct{ Text, Data string }

// Server simulates the messages edge of the Graph API, and delivers events. Calls that the documentation does not allow
// are refused and fail the test. It is safe for concurrent use.
type Server struct {
	URL         string // without a trailing slash
	Token       string
	AppSecret   string
	VerifyToken string
	PhoneID     string

	t       testing.TB
	http    *httptest.Server
	carrier http.Client // sends deliveries

	mu       sync.Mutex
	messages []Message
	fail     http.HandlerFunc // the next answer
	lose     bool
	down     bool
	at       time.Time // of events; zero means now
	received int       // number of messages by people
	last     Delivery
}

// New starts a server that stops when the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	carried := &http.Transport{}
	s := &Server{Token: Token, AppSecret: AppSecret, VerifyToken: VerifyToken, PhoneID: PhoneID, t: t,
		carrier: http.Client{Transport: carried, Timeout: time.Minute}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	t.Cleanup(func() {
		carried.CloseIdleConnections()
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// Client is a client whose connections the server closes when it stops.
func (s *Server) Client() *http.Client { return s.http.Client() }

// Messages returns the messages to a person, oldest first; "" means everybody.
func (s *Server) Messages(to string) (list []Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if to == "" || m.To == to {
			list = append(list, m)
		}
	}
	return list
}

// Down makes every call fail with 503. Down(false) ends the outage.
func (s *Server) Down(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *Server) Fail(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = answer
}

// Lose lets the next call take effect, and then drops the connection before the answer.
func (s *Server) Lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = true
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller is gone, like a program that was killed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		Problem(http.StatusServiceUnavailable, 2, "Service temporarily unavailable")(w, r)
		return
	}
	if fail := s.fail; fail != nil {
		s.fail = nil
		fail(w, r)
		return
	}
	m, code, wrong := read(r, body)
	if wrong != "" {
		s.t.Errorf("the platform refuses: %s\n%s", wrong, body)
		Problem(http.StatusBadRequest, code, wrong)(w, r)
		return
	}
	m.ID = fmt.Sprintf("wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI%04d==", len(s.messages))
	m.Text, _, _ = Look(m.Sent)
	s.messages = append(s.messages, m)
	if s.lose {
		s.lose = false
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"messaging_product":"whatsapp","contacts":[{"input":%q,"wa_id":%q}],`+
		`"messages":[{"id":%q,"message_status":"accepted"}]}`,
		m.To, m.To, m.ID)
}

// Problem is an error answer of the Graph API.
func Problem(status, code int, words string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":"OAuthException","code":%d,`+
			`"error_data":{"messaging_product":"whatsapp","details":"Details."},"fbtrace_id":"Az8o"}}`,
			quote(fmt.Sprintf("(#%d) %s", code, words)), code)
	}
}
