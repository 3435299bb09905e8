package lineartest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// witness is a test that notes its failures.
type witness struct {
	testing.TB
	failures []string
}

func (w *witness) Errorf(format string, args ...any) {
	w.failures = append(w.failures, fmt.Sprintf(format, args...))
}

func ask(t *testing.T, s *Server, key, name, query string, vars map[string]any) (int, string) {
	t.Helper()
	body, err := json.Marshal(request{query, name, vars})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/graphql", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

const list = `query list($filter: IssueFilter, $first: Int) { issues(filter: $filter, first: $first) { nodes { identifier } pageInfo { hasNextPage } } }`

// TestRefuses checks that a request which Linear would not take fails the test that makes it.
func TestRefuses(t *testing.T) {
	eq := func(path ...string) map[string]any {
		var v any = "x"
		for i := len(path) - 1; i >= 0; i-- {
			v = map[string]any{path[i]: v}
		}
		return map[string]any{"filter": v}
	}
	for _, c := range []struct {
		name, query string
		vars        map[string]any
		fails       bool
	}{
		{"right", list, eq("state", "type", "eq"), false},
		{"no such field", `query list { issues { nodes { colour } } }`, nil, true},
		{"no such argument", `query list { issues(limit: 1) { nodes { id } } }`, nil, true},
		{"no selection", `query list { issues }`, nil, true},
		{"wrong type", `query list { issue(id: 12) { id } }`, nil, true},
		{"missing argument", `query list { issue { id } }`, nil, true},
		{"syntax", `query list { issues { `, nil, true},
		{"no such filter", list, eq("status", "eq"), true},
		{"no such comparison", list, eq("state", "type", "is"), true},
		{"text for a number", list, map[string]any{"first": "ten"}, true},
		{"a variable too many", list, map[string]any{"last": 1}, true},
		{"another operation", strings.Replace(list, "list(", "other(", 1), nil, true},
		{"a filter that is not played", list, eq("title", "eq"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &witness{TB: t}
			s := New(w)
			s.AddTeam("ENG")
			s.Add(Issue{Title: "x"})
			_, text := ask(t, s, Key, "list", c.query, c.vars)
			if got := len(w.failures) > 0; got != c.fails {
				t.Errorf("failures %q, answer %s", w.failures, text)
			}
			if got := strings.Contains(text, `"errors"`); got != c.fails {
				t.Errorf("answer %s", text)
			}
		})
	}
}

func TestPages(t *testing.T) {
	s := New(t)
	s.AddTeam("ENG")
	for range 251 {
		s.Add(Issue{Title: "x"})
	}
	for first, want := range map[int]string{250: `"hasNextPage":true`, 251: "first must be", 0: "first must be", -1: "first must be"} {
		if _, text := ask(t, s, Key, "list", list, map[string]any{"first": first}); !strings.Contains(text, want) {
			t.Errorf("first %d: %.300s", first, text)
		}
	}
	if _, text := ask(t, s, Key, "list", list, nil); strings.Count(text, "identifier") != 50 {
		t.Errorf("without first: %d issues", strings.Count(text, "identifier"))
	}
	status, text := ask(t, s, "lin_api_other", "list", list, nil)
	if status != http.StatusUnauthorized || !strings.Contains(text, "AUTHENTICATION_ERROR") {
		t.Errorf("with another key: %d %s", status, text)
	}
}

// TestIDs: an id is used once, even if its object is deleted.
func TestIDs(t *testing.T) {
	s := New(t)
	s.AddTeam("ENG")
	key := s.Add(Issue{Title: "x"})
	const create = `mutation create($id: String!, $issue: String!) { commentCreate(input: {id: $id, issueId: $issue, body: "x"}) { success } }`
	vars := map[string]any{"id": "6f1c2a3b-0000-4000-8000-000000000001", "issue": key}
	for n, want := range []string{`"success":true`, "already exists", "already exists"} {
		if _, text := ask(t, s, Key, "create", create, vars); !strings.Contains(text, want) {
			t.Errorf("%d: %s, want %s", n, text, want)
		}
		if n == 1 {
			s.Uncomment(key)
		}
	}
	vars["id"] = "not-a-uuid"
	if _, text := ask(t, s, Key, "create", create, vars); !strings.Contains(text, "must be a UUID") {
		t.Errorf("%s", text)
	}
}
