// Package lineartest simulates Linear's API for tests. It validates each request against Linear's published schema and answers from
// memory. A request that is invalid or not supported here fails the test.
package lineartest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
)

// Key is the accepted API key, and OAuth the accepted token.
const (
	Key   = "lin_api_0123456789abcdefSECRET"
	OAuth = "0123456789abcdef-oauth-SECRET"
)

// MaxPage is how many entries a page may have.
const MaxPage = 250

// Server is a simulated Linear with its workspace. Set fields before the first request; methods may be called at any time.
type Server struct {
	URL string
	Now func() time.Time

	t      testing.TB
	mu     sync.Mutex
	ws     workspace
	faults []*Fault
	counts map[string]int
	served int // requests
	before func(operation string)
}

// New starts a server that stops with the test. The workspace has the account "agent", which owns the token.
func New(t testing.TB) *Server {
	s := &Server{t: t, Now: time.Now, counts: map[string]int{}}
	s.ws.taken = map[string]bool{}
	s.ws.me = s.AddUser("agent")
	srv := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// Requests counts the requests of an operation, "" for all.
func (s *Server) Requests(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if operation == "" {
		return s.served
	}
	return s.counts[operation]
}

// Before makes the server call f before each request, without holding a lock.
func (s *Server) Before(f func(operation string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

type request struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", s.Now().UTC().Format(http.TimeFormat))
	var req request
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	switch {
	case err != nil:
		return // the client has disconnected
	case r.Method != http.MethodPost || r.URL.Path != "/graphql" || r.Header.Get("Content-Type") != "application/json":
		s.t.Errorf("lineartest: %s %s with %q is no request of GraphQL", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if err := json.Unmarshal(text, &req); err != nil {
		s.t.Errorf("lineartest: the request is no JSON: %v", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.served++
	s.counts[req.OperationName]++
	before := s.before
	f := s.fault(req.OperationName)
	s.mu.Unlock()
	if before != nil {
		before(req.OperationName)
	}
	op, vars, err := parse(req)
	if err != nil { // even if a fault hides it: an invalid query is always an error
		s.t.Errorf("lineartest: %s: %v", req.OperationName, err)
		refuse(w, http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED", "graphql error", err.Error())
		return
	}
	if f != nil && f.instead(w, r) {
		return
	}
	if a := r.Header.Get("Authorization"); a != Key && a != "Bearer "+OAuth {
		refuse(w, http.StatusUnauthorized, "AUTHENTICATION_ERROR", "authentication error", "Authentication required, not authenticated")
		return
	}
	s.mu.Lock()
	data, err := s.run(op, vars)
	s.mu.Unlock()
	if f != nil && f.after(w, data, err) {
		return
	}
	var c complaint
	switch {
	case asComplaint(err, &c):
		refuse(w, http.StatusOK, c.code, c.kind, c.message)
	case err != nil:
		s.t.Errorf("lineartest: %s: %v", req.OperationName, err)
		refuse(w, http.StatusBadRequest, "INTERNAL_SERVER_ERROR", "internal error", err.Error())
	default:
		answer(w, http.StatusOK, map[string]any{"data": data})
	}
}

// parse validates a request against the schema.
func parse(req request) (*ast.OperationDefinition, map[string]any, error) {
	schema, err := Schema()
	if err != nil {
		return nil, nil, err
	}
	doc, errs := gqlparser.LoadQueryWithRules(schema, req.Query, nil)
	if errs != nil {
		return nil, nil, errs
	}
	op := doc.Operations.ForName(req.OperationName)
	if op == nil {
		return nil, nil, fmt.Errorf("the document has no operation %q", req.OperationName)
	}
	for name := range req.Variables {
		if op.VariableDefinitions.ForName(name) == nil {
			return nil, nil, fmt.Errorf("the operation has no variable %q", name)
		}
	}
	vars, err := validator.VariableValues(schema, op, req.Variables)
	if err != nil {
		return nil, nil, err
	}
	return op, vars, nil
}

// complaint is an error in Linear's format.
type complaint struct{ code, kind, message string }

func (c complaint) Error() string { return c.message }

func asComplaint(err error, c *complaint) bool {
	got, ok := err.(complaint)
	*c = got
	return ok
}

func notFound(what string) error {
	return complaint{"INPUT_ERROR", "invalid input", "Entity not found: " + what}
}

func refuse(w http.ResponseWriter, status int, code, kind, message string) {
	e := gqlerror.Errorf("%s", message)
	shown := strings.TrimSuffix(message, ".") + "."
	e.Extensions = map[string]any{"code": code, "type": kind, "userError": true, "userPresentableMessage": shown}
	answer(w, status, map[string]any{"data": nil, "errors": []any{e}})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
}
