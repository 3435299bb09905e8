package forgetest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// Token is the only token that the server takes.
const Token = "ghp_longshiftTestTokenNotASecret0000000000"

// GitHub is a server that plays GitHub's REST API for pull requests, at the root and below /api/v3. Each request and each answer
// is held against GitHub's own description; one that does not fit fails the test. It is safe for concurrent use.
type GitHub struct {
	URL string // without a path

	t    testing.TB
	doc  *openapi3.T
	done chan struct{}

	mu        sync.Mutex
	repos     map[string]*Repository // by lower-case full name
	moved     map[string]string      // old name to new name
	user      string
	now       func() time.Time
	pageSize  int
	cursors   bool
	unsifted  bool
	forkDelay int
	allowance int // calls until the limit
	reset     time.Time
	faults    []Fault
	calls     []Call
	before    func(method, path string)
	after     func(method, path string)
	people    people
	apps      appTokens
	waiting   map[string]context.CancelCauseFunc // calls of Client that may hang
	nextCall  int
}

type Call struct {
	Method string
	Path   string // without /api/v3, with the query
	Body   string
	Status int // 0 when no answer was given
}

// NewGitHub starts a server. It skips the test when GitHub's description is not installed.
func NewGitHub(t testing.TB) *GitHub {
	t.Helper()
	g := &GitHub{
		t: t, doc: description(t), done: make(chan struct{}), repos: map[string]*Repository{}, moved: map[string]string{},
		user: "longshift-bot", now: time.Now, pageSize: 100, allowance: 5000, waiting: map[string]context.CancelCauseFunc{},
	}
	server := httptest.NewServer(http.HandlerFunc(g.serve))
	g.URL = server.URL
	t.Cleanup(func() {
		close(g.done)
		server.Close()
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, f := range g.faults {
			if f.Times > 0 && f.Times < Forever/2 {
				t.Errorf("no call has met the fault %+v", f)
			}
		}
	})
	return g
}

func (g *GitHub) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		g.t.Errorf("read request: %v", err)
	}
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3")
	g.mu.Lock()
	index := len(g.calls)
	g.calls = append(g.calls, Call{Method: r.Method, Path: strings.TrimPrefix(r.URL.RequestURI(), "/api/v3"), Body: string(body)})
	before, after := g.before, g.after
	g.mu.Unlock()
	if before != nil {
		before(r.Method, path)
	}
	fault := g.next(r.Method, path)
	if fault != nil && !fault.After {
		g.fail(w, r, *fault, index)
		return
	}
	a := g.conditional(r, g.handle(r, path, body))
	if after != nil {
		after(r.Method, path)
	}
	if fault != nil {
		g.fail(w, r, *fault, index)
		return
	}
	g.send(w, a, index)
}

// handle gives the answer of a call without faults.
func (g *GitHub) handle(r *http.Request, path string, body []byte) answer {
	if a, stop := g.admit(r, path); stop {
		return a
	}
	if a, moved := g.redirect(r, &path); moved {
		return a
	}
	if r.Method == http.MethodPost && (path == "/graphql" || path == "/api/graphql") {
		return g.graph(body)
	}
	rt := match(g.doc, r.Method, path)
	if rt == nil {
		g.t.Errorf("the server does not play %s %s", r.Method, path)
		return refuse(http.StatusNotFound, "Not Found")
	}
	if err := g.validRequest(rt, r, body); err != nil {
		g.t.Errorf("request %s %s does not fit GitHub's description: %v\n%s", r.Method, r.URL, err, body)
		return refuse(http.StatusBadRequest, "Bad Request")
	}
	a := g.operate(rt, r, body)
	if err := g.validAnswer(rt, r, a); err != nil {
		g.t.Errorf("answer %d to %s %s does not fit GitHub's description: %v", a.status, r.Method, r.URL, err)
	}
	return a
}

// admit checks who calls and how often.
func (g *GitHub) admit(r *http.Request, path string) (answer, bool) {
	if r.Header.Get("User-Agent") == "" {
		return refuse(http.StatusForbidden, "Request forbidden by administrative rules. "+
			"Please make sure your request has a User-Agent header"), true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	shown := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if ofApp(path) {
		if err := g.proven(shown); err != nil {
			return refuse(http.StatusUnauthorized, err.Error()), true
		}
	} else if a := g.takes(shown); a != nil {
		return *a, true
	}
	if g.allowance == 0 && g.now().Before(g.reset) {
		return refuse(http.StatusForbidden, "API rate limit exceeded for user ID 1."), true
	}
	if g.allowance == 0 {
		g.allowance = 5000
	}
	g.allowance--
	return answer{}, false
}
