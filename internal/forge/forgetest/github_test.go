package forgetest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorder is a test whose failures are looked at instead of reported.
type recorder struct {
	testing.TB
	mu      sync.Mutex
	failed  []string
	skipped bool
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }
func (r *recorder) Skipf(string, ...any)              { r.skipped = true }

// failures gives what was reported since the last call.
func (r *recorder) failures() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.failed
	r.failed = nil
	return f
}

// start gives a server with a repository of two branches, whose complaints go to a recorder.
func start(t *testing.T) (*GitHub, *recorder) {
	t.Helper()
	description(t) // skips the test itself where it is not installed
	rec := &recorder{TB: t}
	g := NewGitHub(rec)
	g.AddRepository(Repository{Name: "acme/shop", Branches: map[string]string{"main": "aaaa", "work": "bbbb"}, Collaborators: []string{"alice"}})
	return g, rec
}

// call makes one request with the right token and gives status and body.
func call(t *testing.T, g *GitHub, method, path, body string) (int, string) {
	t.Helper()
	resp, err := do(t.Context(), g, method, path, body, Token)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func do(ctx context.Context, g *GitHub, method, path, body, token string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, g.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return g.Client().Do(req)
}

const newPull = `{"title":"x","head":"work","base":"main"}`

// TestRequestsAreHeldAgainstTheDescription makes requests that GitHub would misunderstand or ignore in part.
func TestRequestsAreHeldAgainstTheDescription(t *testing.T) {
	g, rec := start(t)
	if status, body := call(t, g, "POST", "/repos/acme/shop/pulls", newPull); status != 201 {
		t.Fatalf("a good request: %d %s", status, body)
	}
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/repos/acme/shop/pulls", `{"title":"x","head":"work"}`},                             // no base
		{"POST", "/repos/acme/shop/pulls", `{"title":"x","head":"work","base":"main","label":"a"}`},   // no such field
		{"POST", "/repos/acme/shop/pulls", `{"title":"x","head":"work","base":"main","draft":"yes"}`}, // not a boolean
		{"POST", "/repos/acme/shop/pulls", `["x"]`},
		{"POST", "/repos/acme/shop/pulls", `{`},
		{"POST", "/repos/acme/shop/issues/1/labels", `["a"]`}, // what the client library sends
		{"POST", "/repos/acme/shop/issues/1/labels", `{"labels":[]}`},
		{"PATCH", "/repos/acme/shop/pulls/1", `{"state":"merged"}`},
		{"GET", "/repos/acme/shop/pulls?state=all&branch=work", ""},
		{"GET", "/repos/acme/shop/pulls?state=merged", ""},
		{"GET", "/repos/acme/shop/pulls/one", ""},
		{"GET", "/repos/acme/shop/commits", ""}, // not played
	} {
		call(t, g, c.method, c.path, c.body)
		if len(rec.failures()) == 0 {
			t.Errorf("%s %s %s was let through", c.method, c.path, c.body)
		}
	}
	if n := len(g.Pulls("acme/shop")); n != 1 {
		t.Errorf("%d pull requests stand", n)
	}
}

// TestAnswersAreHeldAgainstTheDescription spoils good answers.
func TestAnswersAreHeldAgainstTheDescription(t *testing.T) {
	g, rec := start(t)
	call(t, g, "POST", "/repos/acme/shop/pulls", newPull)
	r, _ := http.NewRequest("GET", "/repos/acme/shop/pulls/1", nil)
	rt := match(g.doc, "GET", "/repos/acme/shop/pulls/1")
	repo := g.repo("acme/shop")
	good := func() map[string]any { return g.pullBody("pull-request", repo, repo.pulls[0]) }
	if err := g.validAnswer(rt, r, answer{status: 200, body: good()}); err != nil {
		t.Fatalf("a good answer: %v", err)
	}
	spoil := map[string]func(m map[string]any){
		"no number":    func(m map[string]any) { delete(m, "number") },
		"wrong state":  func(m map[string]any) { m["state"] = "merged" },
		"text number":  func(m map[string]any) { m["number"] = "1" },
		"null title":   func(m map[string]any) { m["title"] = nil },
		"user":         func(m map[string]any) { m["user"] = map[string]any{"login": "x"} },
		"head of head": func(m map[string]any) { delete(m["head"].(map[string]any), "sha") },
	}
	for name, f := range spoil {
		m := good()
		f(m)
		if g.validAnswer(rt, r, answer{status: 200, body: m}) == nil {
			t.Errorf("%s was let through", name)
		}
	}
	for _, a := range []answer{refuse(418, "x"), refuse(201, "x"), {status: 404, body: map[string]any{"message": 7}}} {
		if g.validAnswer(rt, r, a) == nil {
			t.Errorf("answer %d %v was let through", a.status, a.body)
		}
	}
	if f := rec.failures(); len(f) > 0 {
		t.Errorf("the server complains of its own answers: %q", f)
	}
}

func TestTokenIsRequired(t *testing.T) {
	g, _ := start(t)
	for _, token := range []string{"", "ghp_other"} {
		resp, err := do(t.Context(), g, "GET", "/repos/acme/shop", "", token)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("token %q: status %d", token, resp.StatusCode)
		}
	}
}

func TestBothPlaces(t *testing.T) {
	g, rec := start(t)
	for _, prefix := range []string{"", "/api/v3"} {
		if status, body := call(t, g, "GET", prefix+"/repos/ACME/shop", ""); status != 200 || !strings.Contains(body, `"full_name":"acme/shop"`) {
			t.Errorf("%s: %d %s", prefix, status, body)
		}
		if status, _ := call(t, g, "GET", prefix+"/repos/acme/none", ""); status != 404 {
			t.Errorf("%s: a missing repository gives %d", prefix, status)
		}
	}
	if f := rec.failures(); len(f) > 0 {
		t.Error(f)
	}
	want := []string{"/repos/ACME/shop", "/repos/acme/none", "/repos/ACME/shop", "/repos/acme/none"}
	var got []string
	for _, c := range g.Calls() {
		got = append(got, c.Path)
	}
	if !slices.Equal(got, want) || g.Count("GET", "/shop") != 2 {
		t.Errorf("calls: %q", got)
	}
}
