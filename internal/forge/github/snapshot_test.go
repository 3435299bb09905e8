package github

import (
	"crypto/sha1"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

const repo = "acme/shop"

// opened is a bench with one pull request that Longshift has opened. Its branches have commits but no files.
func opened(t *testing.T) (*bench, int) {
	t.Helper()
	b := &bench{t: t, server: forgetest.NewGitHub(t), clock: &testClock{at: begin}, log: &lockedBuffer{}}
	b.server.SetNow(b.clock.now)
	b.server.AddRepository(forgetest.Repository{Name: repo, Collaborators: []string{"alice", "bob"}})
	b.server.SetBranch(repo, "main", commit("main 1"))
	b.server.SetBranch(repo, "work", commit("work 1"))
	b.forge = b.open(Config{BaseURL: b.server.URL})
	n := b.server.OpenPull(repo, forgetest.Pull{Head: "work", Base: "main", Title: "Greet in French", Body: forge.Tag("task-1", 1)})
	yes := true
	b.server.SetMergeable(repo, n, &yes)
	t.Cleanup(func() {
		if strings.Contains(b.log.String(), forgetest.Token) {
			t.Error("the token is in the log")
		}
	})
	return b, n
}

// commit is an id made of a word.
func commit(word string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(word))) }

// snapshot takes a snapshot, which must succeed.
func (b *bench) look(n int, seen string) forge.Snapshot {
	b.t.Helper()
	l, err := b.forge.Snapshot(b.t.Context(), shop(), n, seen)
	if err != nil {
		b.t.Fatalf("Look: %v", err)
	}
	if len(l.Stamp) > 1024 {
		b.t.Errorf("the stamp has %d bytes", len(l.Stamp))
	}
	return l
}

func keys(l forge.Snapshot) []string {
	var all []string
	for _, i := range l.Items {
		all = append(all, i.Key)
	}
	return all
}

// expect compares the keys of the items.
func expect(t *testing.T, l forge.Snapshot, want ...string) {
	t.Helper()
	if got := keys(l); !slices.Equal(got, want) {
		t.Errorf("items %q, want %q", got, want)
	}
}

func TestLookAtQuiet(t *testing.T) {
	b, n := opened(t)
	l := b.look(n, "")
	if l.State != forge.Open || l.Head != commit("work 1") || l.Base != "main" || l.BaseHead != commit("main 1") || l.Mergeable == nil || !*l.Mergeable ||
		l.Pending+l.Passed+l.Ignored+l.More+len(l.Items) != 0 || l.Stamp == "" || l.Unchanged || l.ApprovedBy != "" {
		t.Errorf("got %+v", l)
	}
	if again := b.look(n, l.Stamp); !again.Unchanged || again.Stamp != "" || again.State != "" || again.Head != "" {
		t.Errorf("unchanged is %+v", again)
	}
}

// TestUnchangedIsFree: no request of a second snapshot counts against the rate limit.
func TestUnchangedIsFree(t *testing.T) {
	b, n := opened(t)
	_, lines := b.server.AddReview(repo, n, forgetest.Review{By: "alice", State: "CHANGES_REQUESTED", Body: "No.",
		Lines: []forgetest.Comment{{Body: "Here.", Path: "a.go", Line: 3, Hunk: "@@ -1 +1 @@\n+x"}}})
	b.server.ReplyThread(repo, n, lines[0], "bob", "Yes.")
	b.server.CommentOn(repo, n, "alice", "/longshift look")
	b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Conclusion: "failure", Job: true, Log: "##[error]x"})
	b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: "success"})
	l := b.look(n, "")
	if len(l.Items) != 4 {
		t.Fatalf("items %q", keys(l))
	}
	for range 3 {
		before := len(b.server.Calls())
		if again := b.look(n, l.Stamp); !again.Unchanged {
			t.Fatalf("got %+v", again)
		}
		calls := b.server.Calls()[before:]
		if len(calls) != 7 {
			t.Errorf("%d calls", len(calls))
		}
		for _, c := range calls {
			if c.Status != http.StatusNotModified {
				t.Errorf("%s %s counts: %d", c.Method, c.Path, c.Status)
			}
		}
	}
}

// TestUnchangedWithAnotherToken: all tags are others, and what has the same content is unchanged. Of what has changed no page is read twice.
func TestUnchangedWithAnotherToken(t *testing.T) {
	b, n := opened(t)
	appOf(b)
	b.server.CommentOn(repo, n, "alice", "hm")
	b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Conclusion: "success", Job: true})
	l := b.look(n, "")
	b.clock.advance(51 * time.Minute)
	if again := b.look(n, l.Stamp); !again.Unchanged {
		t.Errorf("got %+v", again)
	}
	if calls := b.server.Calls(); calls[len(calls)-1].Status != http.StatusOK {
		t.Errorf("the tags are right for another token, too: %+v", calls[len(calls)-1])
	}
	if old := b.look(n, regexp.MustCompile(`,"s":"[^"]*"`).ReplaceAllString(l.Stamp, "")); old.Unchanged || old.Stamp == "" {
		t.Errorf("the stamp of an earlier release gives %+v", old)
	}
	b.server.CommentOn(repo, n, "alice", "/longshift look")
	before := len(b.server.Calls())
	expectOne(t, b.look(n, l.Stamp))
	read := map[string]bool{}
	for _, c := range b.server.Calls()[before:] {
		if read[c.Path] {
			t.Errorf("%s was read twice", c.Path)
		}
		read[c.Path] = true
	}
}

// TestEveryChangeIsSeen changes one thing at a time.
func TestEveryChangeIsSeen(t *testing.T) {
	no := false
	for _, c := range []struct {
		name   string
		change func(b *bench, n int, ids []int64)
	}{
		{"head", func(b *bench, n int, _ []int64) { b.server.SetBranch(repo, "work", commit("work 2")) }},
		{"base moves", func(b *bench, n int, _ []int64) { b.server.SetBranch(repo, "main", commit("main 2")) }},
		{"base is another", func(b *bench, n int, _ []int64) {
			b.server.Edit(repo, n, func(p *forgetest.Pull) { p.Base = "side" })
		}},
		{"mergeable", func(b *bench, n int, _ []int64) {
			b.server.SetMergeable(repo, n, &no)
		}},
		{"mergeable not known", func(b *bench, n int, _ []int64) {
			b.server.SetMergeable(repo, n, nil)
		}},
		{"draft", func(b *bench, n int, _ []int64) { b.server.Edit(repo, n, func(p *forgetest.Pull) { p.Draft = true }) }},
		{"merged", func(b *bench, n int, _ []int64) { b.server.Merge(repo, n) }},
		{"closed", func(b *bench, n int, _ []int64) { b.server.Close(repo, n) }},
		{"review", func(b *bench, n int, _ []int64) {
			b.server.AddReview(repo, n, forgetest.Review{By: "bob", State: "APPROVED"})
		}},
		{"review dismissed", func(b *bench, _ int, ids []int64) { b.server.SetReviewState(repo, ids[0], "DISMISSED") }},
		{"reply", func(b *bench, n int, ids []int64) { b.server.ReplyThread(repo, n, ids[1], "bob", "x") }},
		{"edit on a line", func(b *bench, n int, ids []int64) { b.server.EditComment(repo, ids[1], "y") }},
		{"deletion on a line", func(b *bench, n int, ids []int64) { b.server.DeleteComment(repo, ids[1]) }},
		{"comment", func(b *bench, n int, _ []int64) { b.server.CommentOn(repo, n, "bob", "x") }},
		{"edit", func(b *bench, n int, ids []int64) { b.server.EditComment(repo, ids[2], "y") }},
		{"check changes", func(b *bench, n int, ids []int64) {
			b.server.SetCheck(repo, forgetest.Check{ID: ids[3], Name: "test", Head: commit("work 1"), Conclusion: "success"})
		}},
		{"check added", func(b *bench, n int, _ []int64) {
			b.server.SetCheck(repo, forgetest.Check{Name: "more", Head: commit("work 1"), Status: "queued"})
		}},
		{"status", func(b *bench, n int, _ []int64) {
			b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: "pending"})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, n := opened(t)
			b.server.SetBranch(repo, "side", commit("side"))
			review, lines := b.server.AddReview(repo, n, forgetest.Review{By: "alice", State: "CHANGES_REQUESTED", Body: "No.",
				Lines: []forgetest.Comment{{Body: "Here."}}})
			comment := b.server.CommentOn(repo, n, "alice", "hm")
			check := b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Status: "in_progress"})
			l := b.look(n, "")
			if again := b.look(n, l.Stamp); !again.Unchanged {
				t.Fatalf("got %+v", again)
			}
			c.change(b, n, []int64{review, lines[0], comment, check})
			after := b.look(n, l.Stamp)
			if after.Unchanged {
				t.Fatal("nothing was seen")
			}
			if again := b.look(n, after.Stamp); !again.Unchanged {
				t.Errorf("the second look gives %+v", again)
			}
		})
	}
}

// TestMergeableIsFoundOut: while it is unknown whether it can be merged, the tag of the pull request is not relied on.
func TestMergeableIsFoundOut(t *testing.T) {
	b, n := opened(t)
	b.server.SetMergeable(repo, n, nil)
	l := b.look(n, "")
	if l.Mergeable != nil || l.Stamp == "" {
		t.Fatalf("got %+v", l)
	}
	before := len(b.server.Calls())
	if again := b.look(n, l.Stamp); !again.Unchanged {
		t.Errorf("got %+v", again)
	}
	for i, c := range b.server.Calls()[before:] {
		if counted := c.Status == http.StatusOK; counted != (i == 0) {
			t.Errorf("%s: %d", c.Path, c.Status)
		}
	}
	no := false
	b.server.SetMergeable(repo, n, &no)
	after := b.look(n, l.Stamp)
	if after.Unchanged || after.Mergeable == nil || *after.Mergeable {
		t.Errorf("got %+v", after)
	}
	if strings.Count(after.Stamp, `"p1:`) != 1 || !b.look(n, after.Stamp).Unchanged {
		t.Errorf("stamp %q", after.Stamp)
	}
}

func TestLookAtEnded(t *testing.T) {
	for _, want := range []forge.State{forge.Merged, forge.Closed} {
		b, n := opened(t)
		b.server.CommentOn(repo, n, "alice", "/longshift too late")
		b.server.Edit(repo, n, func(p *forgetest.Pull) {
			p.State, p.Merged = "closed", want == forge.Merged
			if p.Merged {
				p.MergedBy = "alice"
			}
		})
		l := b.look(n, "")
		if l.State != want || len(l.Items) != 0 || (l.MergedBy == "alice") != (want == forge.Merged) {
			t.Errorf("got %+v", l)
		}
		if again := b.look(n, l.Stamp); !again.Unchanged {
			t.Errorf("%s: the second look gives %+v", want, again)
		}
		b.server.Edit(repo, n, func(p *forgetest.Pull) { p.State, p.Merged = "open", false })
		expectOne(t, b.look(n, l.Stamp))
	}
}

func expectOne(t *testing.T, l forge.Snapshot) {
	t.Helper()
	if len(l.Items) != 1 {
		t.Errorf("items %q, want one", keys(l))
	}
}

// TestLookPages reads lists of many pages, and sees what is added after a full one.
func TestLookPages(t *testing.T) {
	b, n := opened(t)
	b.server.SetPageSize(2)
	var want []string
	for i := range 5 {
		_, lines := b.server.AddReview(repo, n, forgetest.Review{By: "alice", State: "COMMENTED", Lines: []forgetest.Comment{{Body: fmt.Sprint("word ", i)}}})
		want = append(want, fmt.Sprint("thread:", lines[0]))
		b.clock.advance(time.Second)
	}
	for i := range 5 {
		b.server.SetCheck(repo, forgetest.Check{Name: fmt.Sprint("check ", i), Head: commit("work 1"), Conclusion: "failure"})
		want = append(want, fmt.Sprint("check:check ", i))
		b.server.SetStatus(repo, forgetest.Status{Context: fmt.Sprint("status ", i), Head: commit("work 1"), State: "error"})
		want = append(want, fmt.Sprint("check:status ", i))
		b.clock.advance(time.Second)
	}
	l := b.look(n, "")
	slices.Sort(want[5:])
	got := keys(l)
	slices.Sort(got[5:])
	if !slices.Equal(got, want) {
		t.Errorf("items %q, want %q", got, want)
	}
	if again := b.look(n, l.Stamp); !again.Unchanged {
		t.Errorf("got %+v", again)
	}
}

func TestFullPage(t *testing.T) {
	b, n := opened(t)
	for i := range 100 {
		b.server.CommentOn(repo, n, "alice", fmt.Sprint("talk ", i))
	}
	l := b.look(n, "")
	if l.Stamp == "" || len(l.Items) != 0 || !b.look(n, l.Stamp).Unchanged {
		t.Fatalf("got %+v", l)
	}
	b.server.CommentOn(repo, n, "alice", "/longshift one more")
	expectOne(t, b.look(n, l.Stamp))
}

// TestManyPages: with many pages a stamp has no hashes, with too many there is none, and the snapshot still reads everything.
func TestManyPages(t *testing.T) {
	b, n := opened(t)
	b.server.SetPageSize(1)
	say := func(from, to int) {
		for i := from; i < to; i++ {
			b.server.CommentOn(repo, n, "alice", fmt.Sprint("/longshift do ", i))
			b.clock.advance(time.Second)
		}
	}
	say(0, 11)
	many := b.look(n, "").Stamp
	if many == "" || strings.Contains(many, `"s":`) || !b.look(n, many).Unchanged {
		t.Errorf("stamp %q", many)
	}
	say(11, 25)
	l := b.look(n, "")
	if l.Stamp != "" || len(l.Items) != 20 || l.More != 5 || !strings.HasSuffix(l.Items[0].Text, "do 0") {
		t.Errorf("stamp %q, %d items and %d more", l.Stamp, len(l.Items), l.More)
	}
}

// TestStampIsNotTrusted: a stamp that can't be read is ignored.
func TestStampIsNotTrusted(t *testing.T) {
	b, n := opened(t)
	good := b.look(n, "").Stamp
	for _, stamp := range []string{
		"x", "{}", "null", "[]", `{"p":"x"}`, good[:len(good)/2], strings.Replace(good, "p1:", "q1:", 1), strings.Replace(good, "p1:", "p0:", 1),
		strings.Replace(good, "p1:", "p:", 1), strings.Repeat("x", 2000), good[:strings.Index(good, `,"t":`)] + "}",
		`{"h":"../..","b":"a b","p":"","t":["c1:=x\r\ny: z"]}`,
	} {
		if l := b.look(n, stamp); l.Unchanged || l.State != forge.Open || l.Head != commit("work 1") {
			t.Errorf("stamp %q gives %+v", stamp, l)
		}
	}
}

func TestPackTag(t *testing.T) {
	hexes := strings.Repeat("0123456789abcdef", 4)
	for _, tag := range []string{`W/"` + hexes + `"`, `"` + hexes + `"`, `"abc"`, `W/"ABCDEF"`, `W/"` + hexes, `"odd!"`, `w`} {
		packed := packTag(tag)
		if got := unpackTag(packed); got != tag {
			t.Errorf("%q comes back as %q", tag, got)
		}
		if len(tag) > 60 && strings.HasSuffix(tag, `"`) && len(packed) > 45 {
			t.Errorf("%q takes %d bytes", tag, len(packed))
		}
	}
}

func TestLookIsRefused(t *testing.T) {
	b, n := opened(t)
	for _, c := range []struct {
		repo   task.Repository
		number int
		kind   fault.Kind
	}{
		{shop(), 99, fault.NotFound}, {shop(), 0, fault.Input}, {shop(), -1, fault.Input},
		{task.Repository{Text: "acme/nowhere", Owner: "acme", Name: "nowhere"}, n, fault.NotFound},
		{task.Repository{Text: "acme/..", Owner: "acme", Name: ".."}, n, fault.Input},
		{task.Repository{Text: "acme/.", Owner: "acme", Name: "."}, n, fault.Input},
		{task.Repository{Text: "x", Host: "[::1]:80", Owner: "acme", Name: "shop"}, n, fault.Input},
		{task.Repository{Text: "x", Host: "example.com", Owner: "acme", Name: "shop"}, n, fault.Input},
	} {
		if l, err := b.forge.Snapshot(t.Context(), c.repo, c.number, ""); fault.KindOf(err) != c.kind {
			t.Errorf("%s#%d: %+v, %v", c.repo.Text, c.number, l, err)
		}
	}
	stamp := b.look(n, "").Stamp
	if _, err := b.forge.Snapshot(t.Context(), shop(), 99, stamp); fault.KindOf(err) != fault.NotFound {
		t.Errorf("with a stamp: %v", err)
	}
}

// TestLookAfterRename: the old name of a repository still leads to it.
func TestLookAfterRename(t *testing.T) {
	b, n := opened(t)
	b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Conclusion: "failure", Job: true, Log: "##[error]x"})
	stamp := b.look(n, "").Stamp
	b.server.Rename(repo, "acme/store")
	if l := b.look(n, ""); len(l.Items) != 1 || l.Items[0].Log != "##[error]x" {
		t.Errorf("got %+v", l)
	}
	b.look(n, stamp)
}

// TestLookBaseWithSlash reads a base branch with a slash in its name.
func TestLookBaseWithSlash(t *testing.T) {
	b, n := opened(t)
	at := commit("release")
	b.server.SetBranch(repo, "release/1.0#x%2F", at)
	b.server.Edit(repo, n, func(p *forgetest.Pull) { p.Base = "release/1.0#x%2F" })
	l := b.look(n, "")
	if l.BaseHead != at || !b.look(n, l.Stamp).Unchanged {
		t.Errorf("got %+v", l)
	}
	b.server.Edit(repo, n, func(p *forgetest.Pull) { p.Base = "gone" })
	if l := b.look(n, ""); l.Base != "gone" || l.Stamp != "" {
		t.Errorf("without a base branch: %+v", l)
	}
}
