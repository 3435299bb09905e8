package forgetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestIssueWrites goes through the calls that write at an issue.
func TestIssueWrites(t *testing.T) {
	g, rec := start(t)
	n := g.AddIssue("acme/shop", Issue{Title: "One", Labels: []string{"bug"}})
	deleted := g.AddIssue("acme/shop", Issue{Title: "Two"})
	g.DeleteIssue("acme/shop", deleted)
	g.SetUser("longshift-bot")
	theirs, ours := g.CommentOn("acme/shop", n, "bob", "Hello."), g.CommentOn("acme/shop", n, "longshift-bot", "Hello.")
	for _, c := range []struct {
		method, path, body string
		status             int
		holds              string
	}{
		{"POST", fmt.Sprintf("/issues/%d/labels", n), `{"labels":["taken","Bug"]}`, 200, `"taken"`},
		{"GET", fmt.Sprintf("/issues/%d/labels", n), "", 200, `"taken"`},
		{"DELETE", fmt.Sprintf("/issues/%d/labels/BUG", n), "", 200, `"taken"`},
		{"DELETE", fmt.Sprintf("/issues/%d/labels/bug", n), "", 404, "Label does not exist"},
		{"POST", fmt.Sprintf("/issues/%d/labels", n), `{"labels":["` + strings.Repeat("x", 51) + `"]}`, 422, "too long"},
		{"POST", fmt.Sprintf("/issues/%d/labels", deleted), `{"labels":["x"]}`, 410, "deleted"},
		{"POST", "/issues/77/labels", `{"labels":["x"]}`, 404, ""},
		{"POST", fmt.Sprintf("/issues/%d/comments", deleted), `{"body":"x"}`, 410, "deleted"},
		{"GET", fmt.Sprintf("/issues/%d/comments", deleted), "", 410, "deleted"},
		{"PATCH", fmt.Sprintf("/issues/comments/%d", ours), `{"body":"Bye."}`, 200, "Bye."},
		{"PATCH", fmt.Sprintf("/issues/comments/%d", theirs), `{"body":"Bye."}`, 403, ""},
		{"PATCH", "/issues/comments/1", `{"body":"Bye."}`, 404, ""},
		{"PATCH", fmt.Sprintf("/issues/comments/%d", ours), `{"body":" "}`, 422, ""},
		{"DELETE", fmt.Sprintf("/issues/comments/%d", theirs), "", 403, ""},
		{"DELETE", "/issues/comments/1", "", 404, ""},
	} {
		if status, body := call(t, g, c.method, "/repos/acme/shop"+c.path, c.body); status != c.status || !strings.Contains(body, c.holds) {
			t.Errorf("%s %s: %d, want %d with %q: %s", c.method, c.path, status, c.status, c.holds, body)
		}
	}
	g.Retitle("acme/shop", n, "bob", "Another")
	if _, body := call(t, g, "GET", fmt.Sprintf("/repos/acme/shop/issues/%d/events", n), ""); !strings.Contains(body, `"rename":{"from":"One","to":"Another"}`) {
		t.Errorf("events: %s", body)
	}
	if got := rec.failures(); len(got) != 0 {
		t.Errorf("reported %q", got)
	}
	call(t, g, "PATCH", fmt.Sprintf("/repos/acme/shop/issues/comments/%d", ours), `{"body":"Bye.","state":"x"}`)
	if got := rec.failures(); len(got) != 1 || !strings.Contains(got[0], "not described") {
		t.Errorf("a field that GitHub does not have: reported %q", got)
	}
}

// TestManyIssues: a page of many is made without all the others.
func TestManyIssues(t *testing.T) {
	g, rec := start(t)
	g.AddIssues("acme/shop", 10_000, Issue{Title: "One", Labels: []string{"bug"}})
	g.UseCursors()
	for _, path := range []string{"/issues?per_page=100&page=100&sort=created&direction=asc", "/issues?per_page=100&after=place-100&sort=created&direction=asc"} {
		var list []struct{ Number int }
		if _, body := call(t, g, "GET", "/repos/acme/shop"+path, ""); json.Unmarshal([]byte(body), &list) != nil || len(list) != 100 || list[99].Number != 11_000 {
			t.Errorf("%s: %d issues", path, len(list))
		}
	}
	g.Unlabel("acme/shop", 2000, "bob", "bug")
	if labels := g.repo("acme/shop").issue(2001).Labels; len(labels) != 1 {
		t.Errorf("a change of one has changed another: %q", labels)
	}
	if got := rec.failures(); len(got) != 0 {
		t.Errorf("reported %q", got)
	}
}

// TestGraph: GitHub's schema is what a query is held against, and what an answer is made of.
func TestGraph(t *testing.T) {
	g, rec := start(t)
	n := g.AddIssue("acme/shop", Issue{Title: "One", Author: "bob"})
	ask := func(fields string) string {
		query, _ := json.Marshal(map[string]any{
			"query": "query($n: Int!) { repository(owner: \"acme\", name: \"shop\") { issue(number: $n) { " + fields + " } } }", "variables": map[string]any{"n": n},
		})
		_, body := call(t, g, "POST", "/graphql", string(query))
		return strings.TrimSpace(body)
	}
	const edits = "lastEditedAt userContentEdits(first: 1) { nodes { editor { __typename login } } pageInfo { hasNextPage } }"
	if got := ask(edits); !strings.Contains(got, `"lastEditedAt":null`) || !strings.Contains(got, `"nodes":[]`) {
		t.Errorf("not edited: %s", got)
	}
	g.Rewrite("acme/shop", n, "format[bot]", "Two")
	if got := ask(edits); !strings.Contains(got, `"nodes":[{"editor":{"__typename":"Bot","login":"format"}}]`) || !strings.Contains(got, `"hasNextPage":true`) {
		t.Errorf("edited: %s", got)
	}
	g.DeleteIssue("acme/shop", n)
	if got := ask("lastEditedAt"); !strings.Contains(got, "NOT_FOUND") {
		t.Errorf("deleted: %s", got)
	}
	if got := rec.failures(); len(got) != 0 {
		t.Errorf("reported %q", got)
	}
	for what, fields := range map[string]string{
		"unknown field": "editedBy", "missing selection": "editor", "wrong argument": "userContentEdits(first: \"1\") { totalCount }", "syntax": "{",
	} {
		ask(fields)
		if got := rec.failures(); len(got) != 1 || !strings.Contains(got[0], "does not fit GitHub's schema") {
			t.Errorf("%s: reported %q", what, got)
		}
	}
}
