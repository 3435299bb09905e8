package github

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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

// say makes a comment, which must succeed.
func (b *bench) say(number int, key, text string) {
	b.t.Helper()
	if err := b.forge.Comment(b.t.Context(), shop(), number, key, text); err != nil {
		b.t.Fatalf("Comment: %v", err)
	}
}

// ours returns the comments of the token's account on an issue.
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

// TestCommentForged: a mark in somebody else's comment, or in the text to be written, does not prevent a comment.
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
