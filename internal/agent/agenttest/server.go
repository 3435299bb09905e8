package agenttest

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/task"
)

// Call is one request for an answer of the model, as the server saw it.
type Call struct {
	Time      time.Time
	Session   string    // the agent's session id, "" when it does not tell
	Role      task.Role // from the system prompt
	Rule      string    // "" for a side call and for one that no rule fits
	Turn      int       // index in the rule's turns
	Try       int       // 1 for the first request for this turn in this session
	Model     string
	Prompt    string   // the newest of the user
	First     string   // the first one of the conversation
	System    string   // everything said as system
	Tools     []string // names offered
	Header    http.Header
	Size      int    // of the body, in bytes
	Stream    bool   // whether server-sent events were asked for
	Status    int    // what was answered; 0 when the connection was broken off before
	Whole     bool   // the answer went out to its end
	Error     string // why it was refused; "" for answers and scripted faults
	MaxTokens int
	Body      []byte // the request, with Script.KeepBodies

	api    api
	prefix *prefix // of our own agent
}

// Server answers Anthropic's Messages API, and OpenAI's Responses and Chat Completions, from a script.
type Server struct {
	URL string // http://127.0.0.1:port, the base URL of clients of Anthropic; those of OpenAI add /v1

	script Script
	rules  []*rule
	http   *http.Server
	done   chan struct{}
	served chan struct{}

	mu         sync.Mutex
	calls      []*Call
	helpers    []*Call
	unscripted []*Call
	usage      map[string]task.Usage // by model
	tries      map[string]int        // by session, rule and turn
	owners     map[string]string     // session by rule, for Once
	sent       map[string]*prefix    // by session of our own agent: its last request that was answered
}

// NewServer starts a server for a test. At the test's end it is closed, and calls that no rule fits fail the test.
func NewServer(t testing.TB, script Script) *Server {
	t.Helper()
	s, err := Start(script)
	if err != nil {
		t.Fatalf("start scripted model: %v", err)
	}
	t.Cleanup(func() {
		s.Close()
		for _, c := range s.Unscripted() {
			t.Errorf("unscripted model call: role %q, prompt %.80q: %s", c.Role, c.Prompt, c.Error)
		}
	})
	return s
}

// Start starts a server on a free port of 127.0.0.1. The caller closes it.
func Start(script Script) (*Server, error) {
	rules, err := compile(script)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), script: script, rules: rules, done: make(chan struct{}), served: make(chan struct{}),
		usage: map[string]task.Usage{}, tries: map[string]int{}, owners: map[string]string{}, sent: map[string]*prefix{}}
	mux := http.NewServeMux()
	mux.Handle("POST /v1/messages", s.answers(messagesAPI{}))
	mux.Handle("POST /v1/responses", s.answers(responsesAPI{}))
	mux.Handle("POST /v1/chat/completions", s.answers(chatAPI{}))
	mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }) // HEAD as well
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, &Call{Time: time.Now(), Header: r.Header, api: apiOf(r.Header)}, http.StatusNotFound, "no such endpoint: "+r.Method+" "+r.URL.Path)
	})
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l)
	}()
	return s, nil
}

// Close ends the server, calls that hang included.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.done:
	default:
		close(s.done)
	}
	s.mu.Unlock()
	_ = s.http.Close()
	<-s.served
}

// Calls are the calls that a rule answered or failed on purpose, in the order they came.
func (s *Server) Calls() []Call { return s.list(&s.calls) }

// Helpers are side calls of the agent program: no tools, no rule.
func (s *Server) Helpers() []Call { return s.list(&s.helpers) }

// Unscripted returns calls that were refused: no rule matches, the script has ended, or the API would reject the request.
func (s *Server) Unscripted() []Call { return s.list(&s.unscripted) }

func (s *Server) list(of *[]*Call) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Call, len(*of))
	for i, c := range *of {
		out[i] = *c
	}
	return out
}

// Usage is the total usage of the scripted answers that were sent completely. CostUSD stays 0: callers have the prices.
func (s *Server) Usage() task.Usage {
	var sum task.Usage
	for _, u := range s.UsageByModel() {
		sum = sum.Add(u)
	}
	return sum
}

// UsageByModel is Usage by the model's name in the request.
func (s *Server) UsageByModel() map[string]task.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.usage)
}

// refuse answers with a clear error, and records the call so that a test can't pass by accident.
func (s *Server) refuse(w http.ResponseWriter, c *Call, status int, why string) {
	s.mu.Lock()
	c.Status, c.Error = status, why
	s.unscripted = append(s.unscripted, c)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(c.api.refusal(&Fault{Status: status, Body: "scripted model: " + why}))
}

// free leaves out the rules that another session has claimed with Once.
func (s *Server) free(session string) []*rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.rules), func(r *rule) bool {
		owner, taken := s.owners[r.Name]
		return r.Once && taken && owner != session
	})
}
