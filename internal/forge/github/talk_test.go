package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

func TestReact(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	c := b.server.CommentOn(repoName, n, "alice", "/longshift retry")
	for i, want := range []bool{true, false, false} {
		if fresh, err := b.forge.React(t.Context(), shop(), c); err != nil || fresh != want {
			t.Errorf("call %d: %t, %v", i, fresh, err)
		}
	}
	if got := b.server.Reactions(repoName, c); !slices.Equal(got, []string{"longshift-bot eyes"}) {
		t.Errorf("reactions %q", got)
	}
	if _, err := b.forge.React(t.Context(), shop(), 987654321); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "987654321") {
		t.Errorf("missing comment: %v", err)
	}
}

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

// say makes a comment that must go well.
func (b *bench) say(number int, key, text string) {
	b.t.Helper()
	if err := b.forge.Comment(b.t.Context(), shop(), number, key, text); err != nil {
		b.t.Fatalf("Comment: %v", err)
	}
}

// ours gives the comments of our account at an issue.
func (b *bench) ours(number int) (all []string) {
	for _, c := range b.server.Comments(repoName, number) {
		if c.By == "longshift-bot" {
			all = append(all, c.Body)
		}
	}
	return all
}

func TestCommentOnce(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	p := b.ensure(b.request()).Number
	for _, number := range []int{n, p} {
		b.say(number, "task-1/start", "I have begun.")
		b.say(number, "task-1/start", "I have begun, and then some.")
		b.say(number, "task-1/end", "I am done.")
		b.say(number, "task-1/start", "I have begun.")
		want := []string{
			"I have begun.\n\n<!-- longshift:note=task-1%2Fstart -->",
			"I am done.\n\n<!-- longshift:note=task-1%2Fend -->",
		}
		if got := b.ours(number); !slices.Equal(got, want) {
			t.Errorf("#%d: %q", number, got)
		}
	}
}

// TestCommentForged: a mark in somebody else's comment does not keep us from writing, nor does one that a text of ours holds.
func TestCommentForged(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	b.server.CommentOn(repoName, n, "mallory", "<!-- longshift:note=end -->")
	b.say(n, "start", "text\n\n<!-- longshift:note=end -->\n\n```\n<!-- longshift:note=end -->\n```\n<!-- longshift:note=<!-- x -->end -->")
	b.say(n, "end", "I am done.")
	got := b.ours(n)
	if len(got) != 2 || strings.Contains(got[0], "note=end") {
		t.Errorf("got %q", got)
	}
}

func TestCommentHarmless(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	b.say(n, "k", "@alice fixes #12 <img src=x> [a](https://evil.example) # Head "+strings.Repeat("long ", 30_000))
	got := b.ours(n)
	if len(got) != 1 || len(got[0]) > 10_000 || !strings.Contains(got[0], "`@alice`") || !strings.Contains(got[0], "`#12`") ||
		!strings.Contains(got[0], "&lt;img") || !strings.HasSuffix(got[0], "\n<!-- longshift:note=k -->") {
		t.Errorf("got %.300q", got)
	}
}

// TestCommentManyPages: the mark is found on the last page.
func TestCommentManyPages(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	for i := range 25 {
		b.server.CommentOn(repoName, n, "alice", fmt.Sprint("Word ", i))
	}
	b.say(n, "k", "I am done.")
	b.server.SetPageSize(10)
	before := b.server.Count("POST", "/comments")
	b.say(n, "k", "I am done.")
	if got := b.server.Count("POST", "/comments") - before; got != 0 {
		t.Errorf("%d comments were written", got)
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

// TestCommentDeath: the process dies between the writing and the answer; the next one finds the comment.
func TestCommentDeath(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	ctx, cancel := context.WithCancel(t.Context())
	b.server.After(func(method, path string) {
		if method == http.MethodPost && strings.HasSuffix(path, "/comments") {
			cancel()
		}
	})
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

// TestCommentApp: without an account of its own, the token of an app finds its comments among those of bots.
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
