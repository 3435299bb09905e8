package github

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// warned checks that there is one warning for each of the words, in this order.
func warned(t *testing.T, p forge.PullRequest, words ...string) {
	t.Helper()
	if len(p.Warnings) != len(words) {
		t.Fatalf("warnings %q, want %d", p.Warnings, len(words))
	}
	for i, w := range words {
		if !strings.Contains(p.Warnings[i], w) {
			t.Errorf("warning %q does not name %q", p.Warnings[i], w)
		}
	}
}

func TestReviewersOneByOne(t *testing.T) {
	b := newBench(t)
	r := b.request()
	r.Reviewers = []string{"longshift-bot", "@alice", "nobody", "Alice", "acme/web", "acme/none", "globex/web"}
	p := b.ensure(r)
	warned(t, p, "longshift-bot", "globex/web", "nobody", "acme/none")
	s := b.only()
	if !slices.Equal(s.Reviewers, []string{"alice"}) || !slices.Equal(s.Teams, []string{"web"}) {
		t.Errorf("asked are %q and the teams %q", s.Reviewers, s.Teams)
	}
	if !strings.Contains(b.log.String(), "nobody") {
		t.Error("the log does not name the reviewer who was refused")
	}
}

func TestOneReviewerRefused(t *testing.T) {
	b := newBench(t)
	r := b.request()
	r.Reviewers = []string{"nobody"}
	warned(t, b.ensure(r), "nobody")
	if n := b.server.Count(http.MethodPost, "/requested_reviewers"); n != 1 {
		t.Errorf("%d requests were made", n)
	}
}

// TestReviewedIsNotAskedAgain: GitHub removes those who have reviewed from the requested reviewers.
func TestReviewedIsNotAskedAgain(t *testing.T) {
	b := newBench(t)
	r := b.request()
	r.Reviewers = []string{"alice", "bob"}
	p := b.ensure(r)
	b.server.Review("acme/shop", p.Number, "alice")
	b.server.Edit("acme/shop", p.Number, func(p *forgetest.Pull) { p.Reviewers = nil })
	r.Reviewers = append(r.Reviewers, "acme/web")
	b.ensure(r)
	if s := b.only(); !slices.Equal(s.Reviewers, []string{"bob"}) || len(s.Teams) != 0 {
		t.Errorf("asked are %q and the teams %q", s.Reviewers, s.Teams)
	}
}

func TestLabelRefused(t *testing.T) {
	b := newBench(t)
	r := b.request()
	r.Labels = []string{strings.Repeat("x", 51)}
	warned(t, b.ensure(r), "labels")
}
