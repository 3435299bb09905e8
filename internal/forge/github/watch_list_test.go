package github

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestSinceLong: a list of many pages is read to its end, in several polls when it is very long.
func TestSinceLong(t *testing.T) {
	w := newWatch(t)
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	w.poll()
	w.server.SetPageSize(7)
	var want []string
	for i := range mostComments + 20 {
		w.clock.advance(time.Second)
		w.server.CommentOn(repoName, n, "alice", fmt.Sprintf("/longshift %d", i))
		w.server.CommentOn(repoName, n, "alice", "A word between.")
		want = append(want, fmt.Sprintf("commanded %d alice: %d", n, i))
	}
	w.expect(want[:mostComments]...)
	w.expect(want[mostComments-1:]...)
	w.clock.advance(2 * overlap)
	for range 4 {
		w.poll()
	}
	w.expect()
}

// TestSinceMoves: an issue that changes while a long list is read moves to its end, and hides no other one.
func TestSinceMoves(t *testing.T) {
	w := newWatch(t)
	var all []int
	for i := range 12 {
		w.clock.advance(time.Minute)
		all = append(all, w.server.AddIssue(repoName, forgetest.Issue{Title: fmt.Sprint(i), Author: "alice", Labels: []string{"longshift"}}))
	}
	w.server.SetPageSize(5)
	once := sync.OnceFunc(func() { w.server.EditIssue(repoName, all[0], func(i *forgetest.Issue) { i.Title = "changed" }) })
	w.server.After(func(_, path string) {
		if strings.HasSuffix(path, "/issues") {
			once()
		}
	})
	var want []string
	for _, n := range all {
		want = append(want, fmt.Sprintf("issue_wanted %d alice", n))
	}
	w.expect(want...)
}

// TestSinceManyWait: there is more work than one poll returns. None of it is lost, and no command meanwhile.
func TestSinceManyWait(t *testing.T) {
	w := newWatch(t)
	const many = mostNews + 30
	for i := range many {
		w.clock.advance(5 * time.Second)
		w.server.AddIssue(repoName, forgetest.Issue{Title: fmt.Sprint(i), Author: "alice", Labels: []string{"longshift"}})
	}
	first := w.poll()
	w.clock.advance(time.Hour)
	w.server.CommentOn(repoName, 1001, "bob", "/longshift status")
	second := w.poll()
	seen := map[string]bool{}
	for _, e := range append(first, second...) {
		seen[e] = true
	}
	if len(first) != mostNews || len(second) > 40 || len(seen) != many+1 || !seen["commanded 1001 bob: status"] {
		t.Errorf("%d and then %d were told, %d different ones, want %d", len(first), len(second), len(seen), many+1)
	}
	w.settle()
	w.settle()
	w.expect()
}

// TestSinceManyWaitForAnotherLabel: also what a first poll with another label leaves to the next one is returned, as new as that one.
func TestSinceManyWaitForAnotherLabel(t *testing.T) {
	w := newWatch(t)
	w.poll()
	const many = mostNews + 30
	for i := range many {
		w.clock.advance(5 * time.Second)
		w.server.AddIssue(repoName, forgetest.Issue{Title: fmt.Sprint(i), Author: "alice", Labels: []string{"robots"}})
	}
	w.clock.advance(48 * time.Hour)
	w.settle()
	seen := map[int]bool{}
	for range 3 {
		events, next, err := w.forge.Since(t.Context(), shop(), "robots", w.cursor)
		if err != nil {
			t.Fatal(err)
		}
		w.cursor = next
		for _, e := range events {
			seen[e.Number] = true
			if !e.At.Equal(w.clock.now()) {
				t.Errorf("issue %d at %s, want %s", e.Number, e.At, w.clock.now())
			}
		}
		w.clock.advance(time.Minute)
	}
	if len(seen) != many {
		t.Errorf("%d issues were returned, want %d", len(seen), many)
	}
}

// TestSinceEdge: a change that GitHub lists late, with a time in the past, is found.
func TestSinceEdge(t *testing.T) {
	w := newWatch(t)
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	w.poll()
	w.clock.advance(10 * time.Minute)
	w.server.CommentOn(repoName, n, "alice", "/longshift first")
	w.expect(fmt.Sprintf("commanded %d alice: first", n))
	now := w.clock.now()
	w.server.SetNow(func() time.Time { return now.Add(-30 * time.Second) })
	w.server.CommentOn(repoName, n, "bob", "/longshift late")
	w.server.SetNow(w.clock.now)
	w.expect(fmt.Sprintf("commanded %d bob: late", n), fmt.Sprintf("commanded %d alice: first", n))
}

// TestSinceFaults: a poll that fails returns nothing, and the next one with the same cursor returns everything.
func TestSinceFaults(t *testing.T) {
	for _, path := range []string{"/user", "/issues", "/issues/comments", "/events"} {
		t.Run(path, func(t *testing.T) {
			w := newWatch(t)
			n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
			w.poll()
			w.clock.advance(2 * overlap)
			w.server.Label(repoName, n, "alice", "longshift")
			w.server.CommentOn(repoName, n, "alice", "/longshift retry")
			w.server.Inject(forgetest.PrimaryLimit(403, time.Hour).On("GET", path))
			events, next, err := w.forge.Since(t.Context(), shop(), "longshift", w.cursor)
			if got := retryAfterOf(t, err); got != time.Hour+time.Second || events != nil || next != "" {
				t.Errorf("wait %s, %+v, cursor %q", got, events, next)
			}
			w.clock.advance(2 * time.Hour)
			w.server.Inject(forgetest.ServerError(503).On("GET", path), forgetest.Hung().On("GET", path))
			w.expect(fmt.Sprintf("commanded %d alice: retry", n), fmt.Sprintf("issue_wanted %d alice", n))
		})
	}
}

func TestSinceCursor(t *testing.T) {
	w := newWatch(t)
	for _, bad := range []string{"x", "[]", `{"label":1}`, `{"label":"` + strings.Repeat("x", maxCursor) + `"}`} {
		if _, _, err := w.forge.Since(t.Context(), shop(), "longshift", bad); fault.KindOf(err) != fault.Input {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	if _, _, err := w.forge.Since(t.Context(), shop(), strings.Repeat("x", maxCursor), ""); fault.KindOf(err) != fault.Input {
		t.Errorf("long label: %v", err)
	}
}

// TestSinceOtherLabel: with another label, or the token of another account, waiting work is returned again.
func TestSinceOtherLabel(t *testing.T) {
	w := newWatch(t)
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "alice", Labels: []string{"robots"}})
	m := w.server.AddIssue(repoName, forgetest.Issue{Title: "2", Author: "alice", Assignees: []string{"robot-two"}})
	w.clock.advance(time.Hour)
	w.expect()
	w.server.SetUser("robot-two")
	w.expect(fmt.Sprintf("issue_wanted %d alice", m))
	events, _, err := w.forge.Since(t.Context(), shop(), "robots", w.cursor)
	if err != nil || len(events) == 0 || events[0].Number != n {
		t.Errorf("%v, %+v", err, events)
	}
}
