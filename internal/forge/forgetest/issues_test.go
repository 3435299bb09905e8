package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestHookFits: a payload that GitHub would not send fails the test.
func TestHookFits(t *testing.T) {
	description(t)
	good := map[string]any{"sender": Person("alice"), "issue": map[string]any{"number": 7, "labels": []any{map[string]any{"name": "bug"}}}}
	var read struct {
		Action string
		Sender struct{ Login, Type string }
		Issue  struct {
			Number int
			Labels []struct{ Name, Color string }
		}
	}
	if err := json.Unmarshal(Hook(t, "issues-labeled", good), &read); err != nil {
		t.Fatal(err)
	}
	if read.Action != "labeled" || read.Sender.Login != "alice" || read.Issue.Number != 7 || len(read.Issue.Labels) != 1 || read.Issue.Labels[0].Color == "" {
		t.Errorf("got %+v", read)
	}
	for name, bad := range map[string]map[string]any{
		"number as text":  {"issue": map[string]any{"number": "7"}},
		"unknown state":   {"issue": map[string]any{"state": "maybe"}},
		"another action":  {"action": "opened"},
		"no sender":       {"sender": nil},
		"labels as names": {"issue": map[string]any{"labels": []any{"bug"}}},
	} {
		rec := &recorder{TB: t}
		Hook(rec, "issues-labeled", bad)
		if got := rec.failures(); len(got) != 1 || !strings.Contains(got[0], "does not fit") {
			t.Errorf("%s: reported %q", name, got)
		}
	}
	// An unknown name ends a test before there is a payload.
	rec := &recorder{TB: t}
	func() {
		defer func() { _ = recover() }() // the recorder lets Fatalf return
		Hook(rec, "issues-eaten", nil)
	}()
	if got := rec.failures(); len(got) == 0 || !strings.Contains(got[0], "no webhook") {
		t.Errorf("unknown webhook: reported %q", got)
	}
}

// TestIssueCalls goes through the calls on issues as GitHub answers them.
func TestIssueCalls(t *testing.T) {
	g, rec := start(t)
	g.AddRepository(Repository{Name: "other/place", Branches: map[string]string{"main": "1"}})
	n := g.AddIssue("acme/shop", Issue{Title: "One", Author: "bob", Labels: []string{"bug", "longshift"}, Assignees: []string{"alice"}})
	closed := g.AddIssue("acme/shop", Issue{Title: "Two"})
	g.CloseIssue("acme/shop", closed)
	deleted := g.AddIssue("acme/shop", Issue{Title: "Three"})
	g.DeleteIssue("acme/shop", deleted)
	pull := g.OpenPull("acme/shop", Pull{Title: "Pull", Head: "work", Base: "main", Labels: []string{"longshift"}})
	comment := g.CommentOn("acme/shop", n, "bob", "Hello.")
	for _, c := range []struct {
		method, path, body string
		status, entries    int // entries of a list
	}{
		{"GET", "/issues?state=open&sort=updated&direction=asc", "", 200, 2},
		{"GET", "/issues?state=all", "", 200, 3},
		{"GET", "/issues?labels=LongShift", "", 200, 2},
		{"GET", "/issues?labels=longshift,bug", "", 200, 1},
		{"GET", "/issues?assignee=alice", "", 200, 1},
		{"GET", "/issues?assignee=bob", "", 200, 0},
		{"GET", "/issues?since=2999-01-01T00:00:00Z", "", 200, 0},
		{"GET", fmt.Sprintf("/issues/%d", n), "", 200, -1},
		{"GET", fmt.Sprintf("/issues/%d", pull), "", 200, -1},
		{"GET", fmt.Sprintf("/issues/%d", deleted), "", 410, -1},
		{"GET", "/issues/77", "", 404, -1},
		{"GET", fmt.Sprintf("/issues/%d/events", n), "", 200, 3},
		{"GET", fmt.Sprintf("/issues/%d/comments", n), "", 200, 1},
		{"GET", "/issues/comments", "", 200, 1},
		{"GET", "/issues/comments?since=2999-01-01T00:00:00Z", "", 200, 0},
		{"POST", fmt.Sprintf("/issues/comments/%d/reactions", comment), `{"content":"eyes"}`, 201, -1},
		{"POST", fmt.Sprintf("/issues/comments/%d/reactions", comment), `{"content":"eyes"}`, 200, -1},
		{"POST", "/issues/comments/1/reactions", `{"content":"eyes"}`, 404, -1},
	} {
		status, body := call(t, g, c.method, "/repos/acme/shop"+c.path, c.body)
		var list []any
		if c.entries >= 0 {
			if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) != c.entries {
				t.Errorf("%s %s: %d entries, want %d: %v", c.method, c.path, len(list), c.entries, err)
			}
		}
		if status != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, status, c.status)
		}
	}
	if got := rec.failures(); len(got) != 0 {
		t.Errorf("reported %q", got)
	}
	if status, _ := call(t, g, http.MethodPost, fmt.Sprintf("/repos/acme/shop/issues/comments/%d/reactions", comment), `{"content":"cheese"}`); status != 400 {
		t.Errorf("unknown reaction: %d", status)
	}
	if got := rec.failures(); len(got) != 1 {
		t.Errorf("unknown reaction: reported %q", got)
	}
}
