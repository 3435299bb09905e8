package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// asked is a bench with one item of each kind, and its snapshot.
func asked(t *testing.T) (*bench, int, forge.Snapshot) {
	t.Helper()
	b, n := opened(t)
	b.server.AddReview(repo, n, forgetest.Review{By: "alice", State: "CHANGES_REQUESTED", Body: "@bob thinks **no**, closes #7.\nMore.",
		Lines: []forgetest.Comment{{Body: "Rename it.", Path: "a.go", Line: 3}}})
	b.server.CommentOn(repo, n, "bob", "/longshift explain")
	b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Conclusion: "failure"})
	b.server.SetStatus(repo, forgetest.Status{Context: "lint", Head: commit("work 1"), State: "error"})
	l := b.look(n, "")
	if len(l.Items) != 5 {
		t.Fatalf("items %q", keys(l))
	}
	return b, n, l
}

// answers returns the comments of the token's account: those in threads and those in the conversation.
func (b *bench) answers(n int) (threads, talk []forgetest.Comment) {
	mine := func(list []forgetest.Comment) []forgetest.Comment {
		return slices.DeleteFunc(list, func(c forgetest.Comment) bool { return c.By != "longshift-bot" })
	}
	return mine(b.server.LineComments(repo, n)), mine(b.server.Comments(repo, n))
}

func TestAnswer(t *testing.T) {
	b, n, l := asked(t)
	replies := b.answer(n, l)
	threads, talk := b.answers(n)
	if len(threads) != 1 || len(talk) != 3 {
		t.Fatalf("%d answers in threads, %d in the conversation", len(threads), len(talk))
	}
	if c := threads[0]; fmt.Sprint("thread:", c.ReplyTo) != keyOf(l, forge.ThreadItem) || !strings.HasPrefix(c.Body, "Done: thread:") {
		t.Errorf("in the thread: %+v", c)
	}
	var marks []string
	for _, c := range append(threads, talk...) {
		marks = append(marks, forge.AnswerKeys(c.Body)...)
	}
	for _, r := range replies {
		if !slices.Contains(marks, r.Key) || !strings.Contains(allText(threads, talk),
			"<!-- longshift:answer="+strings.ReplaceAll(strings.ReplaceAll(r.Key, "/", "%2F"), " ", "%20")+" -->\n") {
			t.Errorf("the mark of %s is not there", r.Key)
		}
	}
	for _, want := range []string{"> `@bob` thinks **no**, closes `#7`.\n\nOn [what was written there](<", "> /longshift explain\n",
		"- `test`: Done: check:test", "- `lint`: Done: check:lint"} {
		if !strings.Contains(allText(talk), want) {
			t.Errorf("%q is not in\n%s", want, allText(talk))
		}
	}
	if got := b.only().Reviewers; !slices.Equal(got, []string{"alice"}) {
		t.Errorf("asked again are %q", got)
	}
	// A second call writes nothing.
	before := len(b.server.Calls())
	b.answer(n, l)
	for _, c := range b.server.Calls()[before:] {
		if c.Method != http.MethodGet {
			t.Errorf("%s %s", c.Method, c.Path)
		}
	}
	// Items by people are done; the checks still fail.
	expect(t, b.look(n, l.Stamp), "check:lint", "check:test")
}

func keyOf(l forge.Snapshot, kind forge.ItemKind) string {
	for _, i := range l.Items {
		if i.Kind == kind {
			return i.Key
		}
	}
	return ""
}

func allText(lists ...[]forgetest.Comment) string {
	text := ""
	for _, list := range lists {
		for _, c := range list {
			text += c.Body + "\n"
		}
	}
	return text
}

// TestAnswerOnce has each write fail in every way, before and after it has taken effect: no answer may be written twice.
func TestAnswerOnce(t *testing.T) {
	for name, f := range map[string]forgetest.Fault{
		"500": forgetest.ServerError(500), "502 late": forgetest.ServerError(502).Late(), "dropped": forgetest.Dropped(),
		"dropped late": forgetest.Dropped().Late(), "hung": forgetest.Hung(), "hung late": forgetest.Hung().Late(),
		"limit": forgetest.SecondaryLimit(403, 5*time.Second), "unreadable": {Status: 200, HTML: true, After: true},
	} {
		for _, path := range []string{"/replies", "/issues/1/comments", "/requested_reviewers"} {
			t.Run(name+" "+path, func(t *testing.T) {
				b, n, l := asked(t)
				b.server.Inject(f.On(http.MethodPost, path))
				b.answer(n, l)
				threads, talk := b.answers(n)
				if len(threads) != 1 || len(talk) != 3 || !slices.Equal(b.only().Reviewers, []string{"alice"}) {
					t.Errorf("%d answers in threads, %d in the conversation, asked %q", len(threads), len(talk), b.only().Reviewers)
				}
			})
		}
	}
}

// TestAnswerDeath: the process dies after each write; the next call does the rest.
func TestAnswerDeath(t *testing.T) {
	for died := range 5 {
		b, n, l := asked(t)
		ctx, cancel := context.WithCancel(t.Context())
		left := died
		b.server.Before(func(method, _ string) {
			if method == http.MethodPost {
				if left == 0 {
					b.server.Inject(forgetest.Death(cancel).On(http.MethodPost, ""))
				}
				left--
			}
		})
		var all []forge.Reply
		for _, i := range l.Items {
			all = append(all, forge.Reply{Item: i, Text: "Done.", Key: i.Key})
		}
		if err := b.forge.Answer(ctx, shop(), n, all); !errors.Is(err, context.Canceled) {
			t.Fatalf("death %d: %v", died, err)
		}
		b.server.Before(nil)
		if err := b.forge.Answer(t.Context(), shop(), n, all); err != nil {
			t.Fatal(err)
		}
		threads, talk := b.answers(n)
		if len(threads) != 1 || len(talk) != 3 || !slices.Equal(b.only().Reviewers, []string{"alice"}) {
			t.Errorf("death %d: %d answers in threads, %d in the conversation, asked %q", died, len(threads), len(talk), b.only().Reviewers)
		}
		cancel()
	}
}

// TestAnswerPages finds its own marks on the last of many pages.
func TestAnswerPages(t *testing.T) {
	b, n, l := asked(t)
	for range 5 {
		b.server.CommentOn(repo, n, "bob", "a remark")
	}
	b.answer(n, l)
	b.server.SetPageSize(1)
	b.answer(n, l)
	if threads, talk := b.answers(n); len(threads) != 1 || len(talk) != 3 {
		t.Errorf("%d answers in threads, %d in the conversation", len(threads), len(talk))
	}
}

// TestAnswerForeignMark: a mark that somebody else wrote does not prevent an answer.
func TestAnswerForeignMark(t *testing.T) {
	b, n, l := asked(t)
	for _, i := range l.Items {
		b.server.CommentOn(repo, n, "bob", fmt.Sprintf("<!-- longshift:answer=task-1%%2F%s@%d -->", i.Key, i.Last))
	}
	b.answer(n, l)
	if threads, talk := b.answers(n); len(threads) != 1 || len(talk) != 3 {
		t.Errorf("%d answers in threads, %d in the conversation", len(threads), len(talk))
	}
}

// TestAnswerChecksLater writes only for the checks that have no answer yet.
func TestAnswerChecksLater(t *testing.T) {
	b, n, _ := asked(t)
	test := forge.Reply{Item: forge.Item{Kind: forge.CheckItem, Key: "check:test", Last: 1}, Text: "One.", Key: "1"}
	lint := forge.Reply{Item: forge.Item{Kind: forge.CheckItem, Key: "check:lint", Last: 2}, Text: "Two.", Key: "2"}
	for _, list := range [][]forge.Reply{{test}, {test, lint}, {lint, test}} {
		if err := b.forge.Answer(t.Context(), shop(), n, list); err != nil {
			t.Fatal(err)
		}
	}
	_, talk := b.answers(n)
	if len(talk) != 2 || strings.Contains(talk[1].Body, "One.") || !strings.Contains(talk[1].Body, "Two.") {
		t.Errorf("got %+v", talk)
	}
	if got := b.only().Reviewers; len(got) != 0 {
		t.Errorf("for checks alone %q are asked again", got)
	}
}

// TestAnswerThreadGone: the first comment was deleted; the answer goes into the conversation, once.
func TestAnswerThreadGone(t *testing.T) {
	b, n, l := asked(t)
	for _, c := range b.server.LineComments(repo, n) {
		b.server.DeleteComment(repo, c.ID)
	}
	b.answer(n, l)
	b.answer(n, l)
	if threads, talk := b.answers(n); len(threads) != 0 || len(talk) != 4 || !strings.Contains(allText(talk), "> alice: Rename it.") {
		t.Errorf("%d answers in threads, conversation:\n%s", len(threads), allText(talk))
	}
}

func TestAskAgain(t *testing.T) {
	review := func(by, state string) forgetest.Review { return forgetest.Review{By: by, State: state, Body: "x"} }
	for _, c := range []struct {
		name    string
		reviews []forgetest.Review
		asked   []string
		want    []string
	}{
		{"asks", []forgetest.Review{review("alice", "CHANGES_REQUESTED")}, nil, []string{"alice"}},
		{"two ask", []forgetest.Review{review("bob", "CHANGES_REQUESTED"), review("alice", "CHANGES_REQUESTED")}, nil, []string{"alice", "bob"}},
		{"comments", []forgetest.Review{review("alice", "COMMENTED")}, nil, nil},
		{"comments after asking", []forgetest.Review{review("alice", "CHANGES_REQUESTED"), review("alice", "COMMENTED")}, nil, []string{"alice"}},
		{"approves after asking", []forgetest.Review{review("alice", "CHANGES_REQUESTED"), review("alice", "APPROVED")}, nil, nil},
		{"dismissed", []forgetest.Review{review("bob", "COMMENTED"), review("alice", "DISMISSED")}, nil, nil},
		{"is asked already", []forgetest.Review{review("alice", "CHANGES_REQUESTED")}, []string{"Alice"}, []string{"Alice"}},
		{"was not answered", []forgetest.Review{review("bob", "COMMENTED"), review("mallory", "CHANGES_REQUESTED")}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, n := opened(t)
			for _, r := range c.reviews {
				b.server.AddReview(repo, n, r)
				b.clock.advance(time.Second)
			}
			b.server.Edit(repo, n, func(p *forgetest.Pull) { p.Reviewers = c.asked })
			l := b.look(n, "")
			b.answer(n, l)
			if got := b.only().Reviewers; !slices.Equal(got, c.want) {
				t.Errorf("asked are %q, want %q", got, c.want)
			}
			before := b.server.Count(http.MethodPost, "/requested_reviewers")
			b.answer(n, l)
			if b.server.Count(http.MethodPost, "/requested_reviewers") != before {
				t.Error("they are asked a second time")
			}
		})
	}
}

// TestAskAgainRefused: a reviewer who is refused does not prevent the others.
func TestAskAgainRefused(t *testing.T) {
	b, n := opened(t)
	b.server.SetPermission(repo, "carol", "write") // may write but is no collaborator
	for _, by := range []string{"carol", "alice"} {
		b.server.AddReview(repo, n, forgetest.Review{By: by, State: "CHANGES_REQUESTED", Body: "x"})
	}
	b.answer(n, b.look(n, ""))
	if got := b.only().Reviewers; !slices.Equal(got, []string{"alice"}) || !strings.Contains(b.log.String(), "carol") {
		t.Errorf("asked are %q", got)
	}
}

// TestAskAgainByThread: a reviewer who requested changes is asked again when a thread of theirs was answered, whoever wrote last in it.
func TestAskAgainByThread(t *testing.T) {
	b, n := opened(t)
	_, lines := b.server.AddReview(repo, n, forgetest.Review{By: "alice", State: "CHANGES_REQUESTED", Lines: []forgetest.Comment{{Body: "x"}}})
	b.server.ReplyThread(repo, n, lines[0], "bob", "I agree.")
	b.answer(n, b.look(n, ""))
	if got := b.only().Reviewers; !slices.Equal(got, []string{"alice"}) {
		t.Errorf("asked are %q", got)
	}
}

func TestAnswerIsRefused(t *testing.T) {
	b, n, l := asked(t)
	good := forge.Reply{Item: l.Items[0], Text: "x", Key: "k"}
	for name, c := range map[string]struct {
		number int
		change func(r *forge.Reply)
		kind   fault.Kind
	}{
		"no number":      {0, func(*forge.Reply) {}, fault.Input},
		"not there":      {99, func(*forge.Reply) {}, fault.NotFound},
		"no key":         {n, func(r *forge.Reply) { r.Key = "" }, fault.Internal},
		"long key":       {n, func(r *forge.Reply) { r.Key = strings.Repeat("k", 501) }, fault.Internal},
		"no item":        {n, func(r *forge.Reply) { r.Item = forge.Item{} }, fault.Internal},
		"no such thread": {n, func(r *forge.Reply) { r.Item.Kind, r.Item.Key = forge.ThreadItem, "thread:x" }, fault.Internal},
	} {
		r := good
		c.change(&r)
		if err := b.forge.Answer(t.Context(), shop(), c.number, []forge.Reply{r}); fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v (%s)", name, err, fault.KindOf(err))
		}
	}
	if err := b.forge.Answer(t.Context(), shop(), n, nil); err != nil {
		t.Errorf("nothing to answer: %v", err)
	}
	if threads, talk := b.answers(n); len(threads)+len(talk) > 0 {
		t.Errorf("something was written: %s", allText(threads, talk))
	}
}

// TestAnswerKeepsPauses: a rate limit is returned as a wait, and answers that exist by then are not written again.
func TestAnswerKeepsPauses(t *testing.T) {
	b, n, l := asked(t)
	var all []forge.Reply
	for _, i := range l.Items {
		all = append(all, forge.Reply{Item: i, Text: "Done.", Key: i.Key})
	}
	b.server.Inject(forgetest.SecondaryLimit(403, 0).On(http.MethodPost, "/replies"))
	if got := retryAfterOf(t, b.forge.Answer(t.Context(), shop(), n, all)); got != time.Minute {
		t.Errorf("wait %s", got)
	}
	before := len(b.server.Calls())
	if got := retryAfterOf(t, b.forge.Answer(t.Context(), shop(), n, all)); got != time.Minute || len(b.server.Calls()) != before {
		t.Errorf("during the pause: wait %s", got)
	}
	b.clock.advance(time.Minute)
	if err := b.forge.Answer(t.Context(), shop(), n, all); err != nil {
		t.Fatal(err)
	}
	if threads, talk := b.answers(n); len(threads) != 1 || len(talk) != 3 {
		t.Errorf("%d answers in threads, %d in the conversation", len(threads), len(talk))
	}
}

func TestAnswerNotAllowed(t *testing.T) {
	b, n, l := asked(t)
	b.server.Inject(forgetest.Fault{Status: 403, Method: http.MethodPost, Text: "Resource not accessible by personal access token",
		Header: http.Header{"X-Accepted-Github-Permissions": {"pull_requests=write"}}}.Repeated(forgetest.Forever))
	err := b.forge.Answer(t.Context(), shop(), n, []forge.Reply{{Item: l.Items[0], Text: "x", Key: "k"}})
	if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.HintOf(err), "pull_requests=write") || strings.Contains(err.Error(), forgetest.Token) {
		t.Errorf("got %v (%s), hint %q", err, fault.KindOf(err), fault.HintOf(err))
	}
}

// TestAnswerTwins: another attempt writes all answers after this one has looked, and before it writes. The younger ones go.
func TestAnswerTwins(t *testing.T) {
	b, n, l := asked(t)
	ids := func() (all []int64) {
		threads, talk := b.answers(n)
		for _, c := range append(threads, talk...) {
			all = append(all, c.ID)
		}
		return all
	}
	other, stopped := b.open(Config{}), false
	var older []int64
	b.server.Before(func(method, _ string) {
		if method != http.MethodPost || stopped {
			return
		}
		stopped = true
		if err := other.Answer(t.Context(), shop(), n, repliesTo(l)); err != nil {
			t.Errorf("the other attempt: %v", err)
		}
		older = ids()
	})
	b.answer(n, l)
	if got := ids(); len(older) != 4 || !slices.Equal(got, older) {
		t.Errorf("answers %d, and of the other attempt %d", got, older)
	}
}
