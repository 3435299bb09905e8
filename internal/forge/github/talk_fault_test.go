package github

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

func TestReactFaults(t *testing.T) {
	const path = "/reactions"
	for _, c := range []struct {
		name  string
		fault forgetest.Fault
	}{
		{"502", forgetest.ServerError(502)},
		{"502 after the effect", forgetest.ServerError(502).Late()},
		{"dropped", forgetest.Dropped()},
		{"dropped after the effect", forgetest.Dropped().Late()},
		{"hung after the effect", forgetest.Hung().Late()},
		{"limit", forgetest.SecondaryLimit(429, time.Second)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
			id := b.server.CommentOn(repoName, n, "alice", "/longshift retry")
			b.server.Inject(c.fault.On("POST", path))
			if fresh, err := b.forge.React(t.Context(), shop(), id); err != nil || !fresh {
				t.Errorf("%t, %v", fresh, err)
			}
			if got := b.server.Reactions(repoName, id); len(got) != 1 {
				t.Errorf("reactions %q", got)
			}
			if fresh, err := b.forge.React(t.Context(), shop(), id); err != nil || fresh {
				t.Errorf("again: %t, %v", fresh, err)
			}
		})
	}
}

func TestCommentFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault forgetest.Fault
		posts int
	}{
		{"500", forgetest.ServerError(500), 2},
		{"502 after the effect", forgetest.ServerError(502).Late(), 1},
		{"dropped", forgetest.Dropped(), 2},
		{"dropped after the effect", forgetest.Dropped().Late(), 1},
		{"hung after the effect", forgetest.Hung().Late(), 1},
		{"limit", forgetest.SecondaryLimit(403, 2*time.Second), 2},
		{"limit after the effect", forgetest.SecondaryLimit(403, 2*time.Second).Late(), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
			b.server.Inject(c.fault.On("POST", "/comments"))
			b.say(n, "k", "I am done.")
			if got := b.ours(n); len(got) != 1 {
				t.Errorf("got %q", got)
			}
			if got := b.server.Count("POST", "/comments"); got != c.posts {
				t.Errorf("%d calls to write, want %d", got, c.posts)
			}
		})
	}
}

// TestCommentDeath: the process dies between the write and the answer; the next call finds the comment.
func TestCommentDeath(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	ctx, cancel := context.WithCancel(t.Context())
	b.server.Inject(forgetest.Death(cancel).On(http.MethodPost, "/comments"))
	if err := b.forge.Comment(ctx, shop(), n, "k", "I am done."); err == nil {
		t.Fatal("the call of a dead process went well")
	}
	b.say(n, "k", "I am done.")
	if got := b.ours(n); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}

func TestCommentRefused(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	if err := b.forge.Comment(t.Context(), shop(), 5555, "k", "text"); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "#5555") {
		t.Errorf("missing issue: %v", err)
	}
	for _, bad := range []struct {
		number    int
		key, text string
	}{{n, "", "text"}, {0, "k", "text"}, {n, "k", " <!-- nothing to see --> "}} {
		if err := b.forge.Comment(t.Context(), shop(), bad.number, bad.key, bad.text); fault.KindOf(err) != fault.Internal {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	locked := forgetest.Fault{Status: http.StatusForbidden, Text: "Unable to create comment because issue is locked."}
	b.server.Inject(locked.On("POST", "/comments"))
	if err := b.forge.Comment(t.Context(), shop(), n, "k", "text"); fault.KindOf(err) != fault.Denied {
		t.Errorf("locked: %v", err)
	}
	if got := b.ours(n); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

// TestCommentApp: the token of an app has no account, and finds its comments among those of bots.
func TestCommentApp(t *testing.T) {
	b := newBench(t)
	b.server.SetUser("longshift[bot]")
	b.server.SetApp()
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	b.say(n, "k", "I am done.")
	b.say(n, "k", "I am done.")
	if got := b.server.Comments(repoName, n); len(got) != 1 {
		t.Errorf("got %+v", got)
	}
}
