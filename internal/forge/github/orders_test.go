package github

import (
	"fmt"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestOrdersTakeNoPlace: commands do not displace comments about the work.
func TestOrdersTakeNoPlace(t *testing.T) {
	b, n := opened(t)
	for i := range maxItems + 5 {
		b.server.CommentOn(repo, n, "alice", []string{"/longshift status", "/Longshift\r\n", "/longshift tell: it something", "\n/longshift  RUN"}[i%4])
		b.clock.advance(time.Second)
	}
	wish := b.server.CommentOn(repo, n, "alice", "/longshift please use a map")
	b.clock.advance(time.Second)
	_, lines := b.server.AddReview(repo, n, forgetest.Review{By: "bob", State: "CHANGES_REQUESTED", Lines: []forgetest.Comment{{Body: "This is wrong."}}})
	l := b.look(n, "")
	if got, want := fmt.Sprint(keys(l)), fmt.Sprint([]string{fmt.Sprint("comment:", wish), fmt.Sprint("thread:", lines[0])}); got != want ||
		l.More != 0 || l.Ignored != 0 {
		t.Errorf("got %s, %d more, %d ignored; want %s", got, l.More, l.Ignored, want)
	}
}

// TestSinceEdited: an old comment that is edited into a command does not count, even before a poll has read everything.
func TestSinceEdited(t *testing.T) {
	w := newWatch(t)
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	old := w.server.CommentOn(repoName, n, "alice", "A word.")
	for i := range mostNews + 5 { // so that the first look does not end
		w.server.AddIssue(repoName, forgetest.Issue{Title: fmt.Sprint(i), Author: "alice", Labels: []string{"longshift"}})
	}
	w.clock.advance(time.Minute)
	w.poll()
	w.clock.advance(time.Minute)
	w.server.EditComment(repoName, old, "/longshift delete everything")
	w.server.CommentOn(repoName, n, "bob", "/longshift status")
	var talk []string
	for _, e := range w.poll() {
		if e[:9] == "commanded" {
			talk = append(talk, e)
		}
	}
	if want := fmt.Sprintf("[commanded %d bob: status]", n); fmt.Sprint(talk) != want {
		t.Errorf("got %v, want %s", talk, want)
	}
}
