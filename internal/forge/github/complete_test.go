package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

func TestNoDrafts(t *testing.T) {
	b := newBench(t)
	b.server.AddRepository(forgetest.Repository{Name: "acme/shop", GitDir: b.gitDir, NoDrafts: true})
	r := b.request()
	r.Draft = true
	warned(t, b.ensure(r), "draft")
	if b.only().Draft {
		t.Error("it is a draft")
	}
}

func TestHeadMoved(t *testing.T) {
	b := newBench(t)
	r := b.request()
	r.HeadCommit = forgetest.AddBranch(t, b.gitDir, "elsewhere", "main")
	warned(t, b.ensure(r), r.Head)
}

func TestBaseChangedByPerson(t *testing.T) {
	b := newBench(t)
	r := b.request()
	p := b.ensure(r)
	forgetest.AddBranch(t, b.gitDir, "release", "main")
	b.server.Edit("acme/shop", p.Number, func(p *forgetest.Pull) { p.Base = "release" })
	found := b.ensure(r)
	warned(t, found, "release")
	if found.Base != "release" || b.only().Base != "release" {
		t.Errorf("got %+v, there stands %+v", found, b.only())
	}
}

func TestNothingIsWrittenTwice(t *testing.T) {
	b := newBench(t)
	r := b.request()
	r.Labels, r.Reviewers = []string{"longshift"}, []string{"alice", "acme/web"}
	p := b.ensure(r)
	// The changes of an editor in the browser, and text that other bots add below.
	b.server.Edit("acme/shop", p.Number, func(p *forgetest.Pull) { p.Body = strings.ReplaceAll(p.Body, "\n", "\r\n") + "\r\n" })
	before := len(b.server.Calls())
	b.ensure(r)
	for _, c := range b.server.Calls()[before:] {
		if c.Method != http.MethodGet {
			t.Errorf("%s %s was called, though nothing was missing", c.Method, c.Path)
		}
	}
}

// TestCompleteDeath: the process dies right after each write that follows the creation. The next call does the rest.
func TestCompleteDeath(t *testing.T) {
	for _, path := range []string{"/pulls", "/labels", "/requested_reviewers"} {
		t.Run(path, func(t *testing.T) {
			b := newBench(t)
			r := b.request()
			r.Labels, r.Reviewers = []string{"longshift"}, []string{"alice", "acme/web"}
			ctx, cancel := context.WithCancel(t.Context())
			b.server.Inject(forgetest.Death(cancel).On(http.MethodPost, path))
			if _, err := b.forge.EnsurePullRequest(ctx, r); err == nil {
				t.Fatal("the call of a dead process went well")
			}
			b.ensure(r)
			if p := b.only(); !slices.Equal(p.Labels, r.Labels) || !slices.Equal(p.Reviewers, []string{"alice"}) || !slices.Equal(p.Teams, []string{"web"}) {
				t.Errorf("there stands %+v", p)
			}
			for _, path := range []string{"/pulls", "/labels", "/requested_reviewers"} {
				if n := b.server.Count(http.MethodPost, path); n != 1 {
					t.Errorf("POST %s was called %d times", path, n)
				}
			}
		})
	}
}

// TestTextBelowTheMark: other bots and people add to a body; the task still finds its pull request.
func TestTextBelowTheMark(t *testing.T) {
	b := newBench(t)
	r := b.request()
	p := b.ensure(r)
	b.server.Edit("acme/shop", p.Number, func(p *forgetest.Pull) {
		p.Body = strings.ReplaceAll(p.Body, "\n", "\r\n") + "\r\n\r\n" + forge.Tag("task-9", 9) + "\r\nSummary by another bot"
	})
	if again := b.ensure(r); !again.Found || again.Number != p.Number {
		t.Errorf("got %+v", again)
	}
}

// TestPages finds the task's own pull request on the last of many pages.
func TestPages(t *testing.T) {
	b := newBench(t)
	r := b.request()
	p := b.ensure(r)
	b.server.Close("acme/shop", p.Number)
	for range 3 {
		n := b.server.OpenPull("acme/shop", forgetest.Pull{Head: r.Head, Base: "main", Title: "Another", Author: "bob"})
		b.server.Close("acme/shop", n)
	}
	b.server.SetPageSize(1)
	if again := b.ensure(r); !again.Found || again.Number != p.Number || again.State != forge.Closed {
		t.Errorf("got %+v", again)
	}
}

// TestFilterIgnored: GitHub returns all pull requests instead of those from the branch.
func TestFilterIgnored(t *testing.T) {
	b := newBench(t)
	r := b.request()
	forgetest.AddBranch(t, b.gitDir, "other", "main")
	foreign := b.server.OpenPull("acme/shop", forgetest.Pull{Head: "other", Base: "main", Title: "Another", Author: "bob"})
	b.server.IgnoreHead()
	if p := b.ensure(r); p.Found || p.Number == foreign {
		t.Errorf("got %+v", p)
	}
}

// TestOpenedInBetween: another process of the same task opens the pull request after this one has looked.
func TestOpenedInBetween(t *testing.T) {
	b := newBench(t)
	r := b.request()
	done := false
	b.server.Before(func(method, path string) {
		if method == http.MethodPost && strings.HasSuffix(path, "/pulls") && !done {
			done = true
			b.server.OpenPull("acme/shop", forgetest.Pull{Head: r.Head, Base: "main", Title: r.Title, Body: forge.Tagged(r.Body, r.TaskID, 1)})
		}
	})
	if p := b.ensure(r); !p.Found || p.Number != b.only().Number {
		t.Errorf("got %+v", p)
	}
}

// TestPrefersOpen: of several pull requests of the task the open one is used, then the merged one.
func TestPrefersOpen(t *testing.T) {
	b := newBench(t)
	r := b.request()
	open := func(end func(string, int)) int {
		n := b.server.OpenPull("acme/shop", forgetest.Pull{Head: r.Head, Base: "main", Title: "x", Body: forge.Tag(r.TaskID, 1)})
		end("acme/shop", n)
		return n
	}
	merged := open(b.server.Merge)
	open(b.server.Close)
	if p := b.ensure(r); p.Number != merged || p.State != forge.Merged {
		t.Errorf("got %+v, want #%d", p, merged)
	}
	stands := open(func(string, int) {})
	open(b.server.Merge)
	if p := b.ensure(r); p.Number != stands || p.State != forge.Open {
		t.Errorf("got %+v, want #%d", p, stands)
	}
}

// TestHeadSeenLate: GitHub may not see a branch that was just pushed.
func TestHeadSeenLate(t *testing.T) {
	b := newBench(t)
	r := b.request()
	commit := r.HeadCommit
	forgetest.Git(t, b.gitDir, "", "update-ref", "-d", "refs/heads/"+r.Head)
	b.server.After(func(method, path string) {
		if method == http.MethodPost && strings.HasSuffix(path, "/pulls") {
			forgetest.Git(t, b.gitDir, "", "update-ref", "refs/heads/"+r.Head, commit)
		}
	})
	b.ensure(r)
	if got := fmt.Sprint(b.clock.total()); got != "500ms" {
		t.Errorf("slept %s", got)
	}
}
