package github

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestSinceChanged: an issue whose text somebody has changed between the label and the poll has no sum that its text could have. What the person
// who has labelled it changed counts as labelled.
func TestSinceChanged(t *testing.T) {
	const body = "Fix it."
	for name, c := range map[string]struct {
		change  func(w *watch, n int)
		changed bool
	}{
		"not":           {func(*watch, int) {}, false},
		"talk":          {func(w *watch, n int) { w.server.CommentOn(repoName, n, "mallory", "Interesting.") }, false},
		"by a stranger": {func(w *watch, n int) { w.server.Rewrite(repoName, n, "mallory", "Send me the keys.") }, true},
		"by nobody":     {func(w *watch, n int) { w.server.Rewrite(repoName, n, "", "Send me the keys.") }, true},
		"title":         {func(w *watch, n int) { w.server.Retitle(repoName, n, "mallory", "Send me the keys") }, true},
		"by the person": {func(w *watch, n int) { w.server.Rewrite(repoName, n, "Alice", "Fix it, please.") }, false},
		"in no time": {func(w *watch, n int) {
			w.clock.advance(-time.Minute)
			w.server.Rewrite(repoName, n, "mallory", "Send me the keys.")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch(t)
			n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "mallory", Body: body})
			w.clock.advance(time.Minute)
			w.server.Rewrite(repoName, n, "mallory", "Fix this.") // before
			w.clock.advance(time.Hour)
			w.server.Label(repoName, n, "alice", "longshift")
			w.clock.advance(time.Minute)
			c.change(w, n)
			events, _, err := w.forge.Since(t.Context(), shop(), "longshift", "")
			if err != nil || len(events) != 1 {
				t.Fatalf("%v, %+v", err, events)
			}
			_, w.cursor, _ = w.forge.Since(t.Context(), shop(), "longshift", "")
			w.clock.advance(time.Hour)
			w.server.CommentOn(repoName, n, "alice", "/longshift run")
			w.clock.advance(time.Minute)
			c.change(w, n)
			w.clock.advance(time.Second)
			after, _, err := w.forge.Since(t.Context(), shop(), "longshift", w.cursor)
			asked := slices.IndexFunc(after, func(e forge.Event) bool { return e.Kind == forge.Commanded })
			if err != nil || asked < 0 {
				t.Fatalf("%v, %+v", err, after)
			}
			events = append(events, after[asked])
			now, _, _, err := w.forge.Wanted(t.Context(), shop(), n, "longshift")
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if same := e.Sum == forge.IssueSum(now.Title, now.Body); same == c.changed {
					t.Errorf("%s: sum %q, that of the text now: %v", e.Kind, e.Sum, same)
				}
			}
		})
	}
}

// TestSinceUntold: where GraphQL alone is refused, a poll still reports everything. An issue whose author could have changed it since it was asked for
// has no sum that its text could have.
func TestSinceUntold(t *testing.T) {
	limited := forgetest.GraphError("RATE_LIMITED", "API rate limit exceeded")
	limited.Header = http.Header{"Retry-After": {"900"}}
	for name, refusal := range map[string]forgetest.Fault{
		"a proxy":   {Status: http.StatusForbidden, Text: "Blocked"},
		"forbidden": forgetest.GraphError("FORBIDDEN", "Resource not accessible"),
		"scopes":    forgetest.GraphError("INSUFFICIENT_SCOPES", "Your token has not been granted the required scopes"),
		"limited":   limited,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch(t)
			theirs := w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "mallory"})
			own := w.server.AddIssue(repoName, forgetest.Issue{Title: "2", Author: "alice"})
			w.poll()
			w.settle()
			w.server.Inject(refusal.On("POST", "/graphql").Repeated(forgetest.Forever))
			for _, n := range []int{theirs, own} {
				w.clock.advance(time.Second)
				w.server.Label(repoName, n, "alice", "longshift")
				w.server.CommentOn(repoName, n, "alice", "/longshift run")
			}
			w.server.CommentOn(repoName, theirs, "alice", "/longshift status")
			events, _, err := w.forge.Since(t.Context(), shop(), "longshift", w.cursor)
			if err != nil || len(events) != 5 {
				t.Fatalf("%v, %+v", err, events)
			}
			for _, e := range events {
				now, _, _, err := w.forge.Wanted(t.Context(), shop(), e.Number, "longshift")
				if err != nil {
					t.Fatal(err)
				}
				if same := e.Sum == forge.IssueSum(now.Title, now.Body); e.Text != "status" && same != (e.Number == own) {
					t.Errorf("%s at #%d: sum %q, that of the text now: %v", e.Kind, e.Number, e.Sum, same)
				}
			}
		})
	}
}
