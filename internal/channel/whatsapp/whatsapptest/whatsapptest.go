// Package whatsapptest plays WhatsApp's Business Cloud API for one business number, and the people who write to it. It is for tests
// only; nothing outside of them may import it, and it may not import the channel that it is there to hold to the API's rules.
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

// What the app is set up with.
const (
	Token       = "EAAJB-secret-access-token-0123456789"
	AppSecret   = "0123456789abcdef0123456789abcdef"
	VerifyToken = "a verify token & more"
	PhoneID     = "106540352242922"
)

// Message is a message of the business as the platform took it. None can be changed.
type Message struct {
	ID       string
	To       string // a phone number, or the id of somebody who hides it
	Text     string // as people see it: without marks
	Sent     string // as it was sent
	Buttons  []Button
	QuotedID string // the message that it quotes; "" for none
	Key      string // what the platform gives back with the fate of the message
	Type     string // "text" or "interactive"
}

// Button is a button below a message.
type Button struct{ Text, Data string }

// Server plays the messages edge of the Graph API, and delivers what people do. It takes only what the documentation allows;
// anything else is refused and fails the test. It is safe for concurrent use.
type Server struct {
	URL         string // without a slash at the end
	Token       string
	AppSecret   string
	VerifyToken string
	PhoneID     string

	t       testing.TB
	http    *httptest.Server
	carrier http.Client // carries deliveries

	mu       sync.Mutex
	messages []Message
	fail     http.HandlerFunc // in place of the next answer
	lose     bool
	down     bool
	at       time.Time // of what people do; zero for now
	heard    int       // messages of people
	last     Delivery
}

// New starts a server, which ends with the test.
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

// Client is a client that the server can wait for when it ends.
func (s *Server) Client() *http.Client { return s.http.Client() }

// Messages returns what was sent to somebody, oldest first; "" is everybody.
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

// Down lets every call fail with 503 from now on. With false all is well again.
func (s *Server) Down(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// Fail answers in place of the next call.
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
		return // whoever called is gone, as a program that was killed
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
	fmt.Fprintf(w, `{"messaging_product":"whatsapp","contacts":[{"input":%q,"wa_id":%q}],"messages":[{"id":%q,"message_status":"accepted"}]}`, m.To, m.To, m.ID)
}

// Problem is an error in the shape of the Graph API.
func Problem(status, code int, words string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":"OAuthException","code":%d,"error_data":{"messaging_product":"whatsapp","details":"Details."},"fbtrace_id":"Az8o"}}`,
			quote(fmt.Sprintf("(#%d) %s", code, words)), code)
	}
}
