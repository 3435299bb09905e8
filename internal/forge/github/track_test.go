package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// numbers lists issues, which must succeed.
func (b *bench) numbers(f *Forge, q forge.IssueQuery) (all []int) {
	b.t.Helper()
	if err := f.Issues(b.t.Context(), shop(), q, func(i forge.ListedIssue) bool { all = append(all, i.Number); return true }); err != nil {
		b.t.Fatalf("Issues: %v", err)
	}
	return all
}

func TestIssuesFilter(t *testing.T) {
	b := newBench(t)
	add := func(labels, assignees []string) int {
		b.clock.advance(time.Minute)
		return b.server.AddIssue(repoName, forgetest.Issue{Title: "1", Labels: labels, Assignees: assignees})
	}
	first := add([]string{"longshift"}, nil)
	second := add([]string{"LongShift", "bug"}, []string{"longshift-bot"})
	third := add(nil, []string{"longshift-bot", "alice"})
	add(nil, nil)
	taken := add([]string{"longshift", "Longshift-Claimed"}, nil)
	b.server.CloseIssue(repoName, add([]string{"longshift"}, nil))
	b.server.OpenPull(repoName, forgetest.Pull{Title: "Pull", Head: "x", Base: "main", Labels: []string{"longshift"}})
	for _, c := range []struct {
		q    forge.IssueQuery
		want []int
	}{
		{forge.IssueQuery{Label: "longshift"}, []int{first, second, taken}},
		{forge.IssueQuery{Label: "longshift", Without: "longshift-claimed"}, []int{first, second}},
		{forge.IssueQuery{Assignee: "me"}, []int{second, third}},
		{forge.IssueQuery{Assignee: "alice"}, []int{third}},
		{forge.IssueQuery{Label: "longshift", Assignee: "me"}, []int{second}},
		{forge.IssueQuery{Label: "none"}, nil},
	} {
		for range 2 { // the second time from memory
			if got := b.numbers(b.forge, c.q); !slices.Equal(got, c.want) {
				t.Errorf("%+v: %v, want %v", c.q, got, c.want)
			}
		}
	}
}

// TestIssuesRemembered: an unchanged list costs nothing, and a changed one is read.
func TestIssuesRemembered(t *testing.T) {
	b := newBench(t)
	b.server.AddIssues(repoName, 250, forgetest.Issue{Title: "1", Labels: []string{"longshift"}})
	q := forge.IssueQuery{Label: "longshift", Without: "longshift-claimed"}
	statuses := func() string {
		before := len(b.server.Calls())
		if got := b.numbers(b.forge, q); len(got) != 250 || !slices.IsSorted(got) {
			t.Errorf("%d issues", len(got))
		}
		text := ""
		for _, c := range b.server.Calls()[before:] {
			text += fmt.Sprint(" ", c.Status)
		}
		return text
	}
	for i, want := range []string{" 200 200 200", " 304 304 304", " 304 304 304"} {
		if got := statuses(); got != want {
			t.Errorf("look %d: %s, want %s", i, got, want)
		}
	}
	b.server.EditIssue(repoName, 1150, func(i *forgetest.Issue) { i.Title = "Another" }) // on the second page
	if got := statuses(); got != " 304 200 304" {
		t.Errorf("after a change: %s", got)
	}
}

// asTester sends every request with the token that the server accepts.
type asTester struct{ base http.RoundTripper }

func (a asTester) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+forgetest.Token)
	return a.base.RoundTrip(r)
}

// TestIssuesOfEachToken: tokens do not share what they have read.
func TestIssuesOfEachToken(t *testing.T) {
	b := newBench(t)
	token := "one"
	b.forge = b.open(Config{BaseURL: b.server.URL, Token: func(context.Context) (string, error) { return token, nil }})
	b.forge.http.Transport = asTester{b.forge.http.Transport}
	b.server.AddIssue(repoName, forgetest.Issue{Title: "1", Labels: []string{"longshift"}})
	for _, c := range []struct {
		token  string
		status int
	}{{"one", 200}, {"one", 304}, {"two", 200}, {"two", 304}, {"one", 304}} {
		token = c.token
		b.numbers(b.forge, forge.IssueQuery{Label: "longshift"})
		if calls := b.server.Calls(); calls[len(calls)-1].Status != c.status {
			t.Errorf("%+v: %d", c, calls[len(calls)-1].Status)
		}
	}
}

// TestIssuesFullPage: a new page after a full last page is found, although the tag of the full one stays the same.
func TestIssuesFullPage(t *testing.T) {
	b := newBench(t)
	q := forge.IssueQuery{Label: "longshift"}
	b.server.AddIssues(repoName, 100, forgetest.Issue{Title: "1", Labels: []string{"longshift"}})
	b.numbers(b.forge, q)
	b.clock.advance(time.Hour)
	b.server.AddIssue(repoName, forgetest.Issue{Title: "2", Labels: []string{"longshift"}})
	if got := b.numbers(b.forge, q); len(got) != 101 {
		t.Errorf("%d issues, want 101", len(got))
	}
}

func TestIssuesCursorsAndStop(t *testing.T) {
	b := newBench(t)
	b.server.UseCursors()
	b.server.AddIssues(repoName, 350, forgetest.Issue{Title: "1", Labels: []string{"longshift"}})
	for range 2 {
		if got := b.numbers(b.forge, forge.IssueQuery{Label: "longshift"}); len(got) != 350 || !slices.IsSorted(got) {
			t.Errorf("%d issues", len(got))
		}
	}
	before, seen := b.server.Count("GET", "/issues"), 0
	err := b.forge.Issues(t.Context(), shop(), forge.IssueQuery{Label: "longshift"}, func(forge.ListedIssue) bool { seen++; return seen < 150 })
	if err != nil || seen != 150 || b.server.Count("GET", "/issues")-before != 2 {
		t.Errorf("stopped after %d issues and %d pages: %v", seen, b.server.Count("GET", "/issues")-before, err)
	}
}

// TestIssuesMany reads 10 000 issues. The second time costs nothing, and little is kept.
func TestIssuesMany(t *testing.T) {
	b := newBench(t)
	const many = 10_000
	b.server.AddIssues(repoName, many, forgetest.Issue{
		Title: strings.Repeat("A long title ", 30), Body: strings.Repeat("A body that nobody keeps. ", 8), Labels: []string{"longshift"},
	})
	q := forge.IssueQuery{Label: "longshift"}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if got := b.numbers(b.forge, q); len(got) != many {
		t.Fatalf("%d issues", len(got))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 32<<20 {
		t.Errorf("%d MiB are kept", kept>>20)
	}
	calls := len(b.server.Calls())
	b.numbers(b.forge, q)
	paid := 0
	for _, c := range b.server.Calls()[calls:] {
		if c.Status != 304 {
			paid++
		}
	}
	if paid > 1 { // the last page is full
		t.Errorf("the second time %d pages were paid for", paid)
	}
}

// TestMemoryIsBounded: the least recently used pages are dropped.
func TestMemoryIsBounded(t *testing.T) {
	var m memory
	key := func(n int) (k [32]byte) { k[0], k[1] = byte(n), byte(n>>8); return k }
	for n := range 3 * mostRemembered {
		m.put(key(n), &leaf{tag: "t"})
		if m.at(key(0)) == nil {
			t.Fatalf("the page that is in use has gone after %d others", n)
		}
	}
	if len(m.pages) != mostRemembered || m.at(key(1)) != nil || m.at(key(3*mostRemembered-1)) == nil {
		t.Errorf("%d pages", len(m.pages))
	}
}

func TestSetLabel(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1", Labels: []string{"bug"}})
	const odd = "a/b ? #1 ü"
	for _, on := range []bool{true, true, false, false} {
		if err := b.forge.SetLabel(t.Context(), shop(), n, odd, on); err != nil {
			t.Fatal(err)
		}
		var got []string
		b.server.EditIssue(repoName, n, func(i *forgetest.Issue) { got = slices.Clone(i.Labels) })
		if slices.Contains(got, odd) != on || !slices.Contains(got, "bug") {
			t.Errorf("%t: %q", on, got)
		}
	}
	for _, on := range []bool{true, false} {
		mustBe(t, b.forge.SetLabel(t.Context(), shop(), 5555, "x", on), fault.NotFound, "#5555", "Issues: write")
		mustBe(t, b.forge.SetLabel(t.Context(), shop(), n, "a,b", on), fault.Input, "not a label", "commas")
	}
	b.server.DeleteIssue(repoName, n)
	mustBe(t, b.forge.SetLabel(t.Context(), shop(), n, "x", true), fault.NotFound, "", "")
}

// TestSetNote: one comment for a key, kept up to date; empty fields keep their value.
func TestSetNote(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	for _, s := range []struct {
		note         forge.Note
		want         string
		posts, edits int
	}{
		{forge.Note{Key: "k", Text: "One."}, "One.\n\n<!-- longshift:note=k -->", 1, 0},
		{forge.Note{Key: "k", Text: "One."}, "One.\n\n<!-- longshift:note=k -->", 1, 0},
		{forge.Note{Key: "k", Text: "Two.", State: "working"}, "Two.\n\n<!-- longshift:note=k -->\n<!-- longshift:state=working -->", 1, 1},
		{forge.Note{Key: "k", Text: "Three."}, "Three.\n\n<!-- longshift:note=k -->\n<!-- longshift:state=working -->", 1, 2},
		{forge.Note{Key: "k", State: "ended"}, "Three.\n\n<!-- longshift:note=k -->\n<!-- longshift:state=ended -->", 1, 3},
		{forge.Note{Key: "k", State: "ended"}, "Three.\n\n<!-- longshift:note=k -->\n<!-- longshift:state=ended -->", 1, 3},
		{forge.Note{Key: "k", Text: "[Four](https://t.example).\n<!-- longshift:note=x -->\n<!-- longshift:state=working -->"},
			"[Four](https://t.example).\n\n<!-- longshift:note=k -->\n<!-- longshift:state=ended -->", 1, 4},
	} {
		if err := b.forge.SetNote(t.Context(), shop(), n, s.note); err != nil {
			t.Fatal(err)
		}
		got := b.ours(n)
		if len(got) != 1 || got[0] != s.want || b.server.Count("POST", "/comments") != s.posts || edits(b) != s.edits {
			t.Errorf("%+v: %q after %d posts and %d edits", s.note, got, b.server.Count("POST", "/comments"), edits(b))
		}
	}
	b.say(n, "another", "A word.")
	notes, err := b.forge.Notes(t.Context(), shop(), n)
	if err != nil || len(notes) != 2 || notes[0].Key != "k" || notes[0].State != "ended" || notes[0].ID >= notes[1].ID || notes[1].Key != "another" {
		t.Errorf("notes %+v, %v", notes, err)
	}
	mustBe(t, b.forge.SetNote(t.Context(), shop(), n, forge.Note{Key: "new", State: "ended"}), fault.Internal, "needs a text", "")
	mustBe(t, b.forge.SetNote(t.Context(), shop(), n, forge.Note{Key: "new", State: "A --", Text: "x"}), fault.Internal, "a word", "")
	mustBe(t, b.forge.SetNote(t.Context(), shop(), 5555, forge.Note{Key: "new", Text: "x"}), fault.NotFound, "#5555", "")
}

func edits(b *bench) (n int) {
	for _, c := range b.server.Calls() {
		if c.Method == "PATCH" {
			n++
		}
	}
	return n
}

// TestSetNoteDeleted: somebody deletes the comment after it was found and before it is edited.
func TestSetNoteDeleted(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	if err := b.forge.SetNote(t.Context(), shop(), n, forge.Note{Key: "k", Text: "One."}); err != nil {
		t.Fatal(err)
	}
	id := b.server.Comments(repoName, n)[0].ID
	b.server.Before(func(method, _ string) {
		if method == "PATCH" {
			b.server.DeleteComment(repoName, id)
		}
	})
	if err := b.forge.SetNote(t.Context(), shop(), n, forge.Note{Key: "k", Text: "Two."}); err != nil {
		t.Fatal(err)
	}
	if got := b.ours(n); len(got) != 1 || !strings.HasPrefix(got[0], "Two.") {
		t.Errorf("got %q", got)
	}
}

// TestTwins: another attempt writes the same after this one has looked, and before it writes. The younger of the two goes.
func TestTwins(t *testing.T) {
	for name, c := range map[string]struct {
		write  func(b *bench, n int) error
		others string // the other attempt's text
		want   string
	}{
		"note": {write: func(b *bench, n int) error {
			return b.forge.SetNote(t.Context(), shop(), n, forge.Note{Key: "k", Text: "One."})
		}, others: "One.", want: "One."},
		"note of an older state": {write: func(b *bench, n int) error {
			return b.forge.SetNote(t.Context(), shop(), n, forge.Note{Key: "k", Text: "Two."})
		}, others: "One.", want: "Two."},
		"comment": {write: func(b *bench, n int) error {
			return b.forge.Comment(t.Context(), shop(), n, "k", "One.")
		}, others: "One.", want: "One."},
	} {
		b := newBench(t)
		n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
		b.server.CommentOn(repoName, n, "eve", "One.\n\n"+noteMark("k")) // hers counts for nothing
		var older int64
		b.server.Before(func(method, _ string) {
			if method == "POST" && older == 0 {
				older = b.server.CommentOn(repoName, n, "longshift-bot", c.others+"\n\n"+noteMark("k"))
			}
		})
		err := c.write(b, n)
		all := b.server.Comments(repoName, n)
		if err != nil || len(all) != 2 || all[1].ID != older || !strings.HasPrefix(all[1].Body, c.want) {
			t.Errorf("%s: %v, %+v", name, err, all)
		}
	}
}

func TestSetNoteFaults(t *testing.T) {
	for name, f := range map[string]forgetest.Fault{
		"502": forgetest.ServerError(502), "502 late": forgetest.ServerError(502).Late(), "dropped late": forgetest.Dropped().Late(),
		"hung late": forgetest.Hung().Late(), "limit late": forgetest.SecondaryLimit(403, 2*time.Second).Late(),
	} {
		b := newBench(t)
		n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
		b.server.Inject(f.On("POST", "/comments"), f.On("PATCH", ""))
		for _, text := range []string{"One.", "Two."} {
			err := b.forge.SetNote(t.Context(), shop(), n, forge.Note{Key: "k", Text: text})
			if got := b.ours(n); err != nil || len(got) != 1 || !strings.HasPrefix(got[0], text) {
				t.Errorf("%s: %v, %q", name, err, got)
			}
		}
	}
}

// TestEditsFaults checks what becomes of GraphQL's own errors. On github.com its address is another one.
func TestEditsFaults(t *testing.T) {
	for _, base := range []string{"", "here"} {
		b := newBench(t)
		f := b.forge
		if base == "" {
			f = b.open(Config{})
		}
		n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "mallory"})
		ask := func() ([]forge.Act, error) { return f.Edits(t.Context(), shop(), n, begin) }
		if acts, err := ask(); err != nil || len(acts) != 0 {
			t.Fatalf("%+v, %v", acts, err)
		}
		limited := forgetest.GraphError("RATE_LIMITED", "API rate limit exceeded")
		limited.Header = map[string][]string{"Retry-After": {"900"}}
		for _, c := range []struct {
			fault forgetest.Fault
			kind  fault.Kind
			words string
		}{
			{forgetest.GraphError("FORBIDDEN", "Resource not accessible"), fault.Denied, "Issues: read"},
			{forgetest.GraphError("NOT_FOUND", "Could not resolve"), fault.NotFound, ""},
			{forgetest.GraphError("-", "Something went wrong"), fault.Infra, "Something went wrong"},
			{limited, fault.Infra, "again in 15m"},
			{forgetest.Fault{Status: 401, Text: "Bad credentials"}, fault.Denied, ""},
		} {
			b.server.Inject(c.fault.On("POST", "/graphql"))
			_, err := ask()
			if err == nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error()+fault.HintOf(err), c.words) {
				t.Errorf("%+v: %v (%s)", c.fault, err, fault.KindOf(err))
			}
			if errors.Is(err, forge.ErrUntold) || strings.Contains(fmt.Sprintf("%+v", err), forgetest.Token) {
				t.Errorf("%+v: %v", c.fault, err)
			}
		}
		if _, _, err := f.Issue(context.Background(), shop(), n); err != nil { // the pause is for GraphQL alone
			t.Errorf("REST after a limit of GraphQL: %v", err)
		}
		b.server.Inject(forgetest.ServerError(502).On("POST", "/graphql"))
		if _, err := ask(); err != nil {
			t.Errorf("a fault that passes: %v", err)
		}
		for _, status := range []int{404, 405} {
			b.server.Inject(forgetest.Fault{Status: status, Text: "Not Found"}.On("POST", "/graphql"))
			if _, err := ask(); !errors.Is(err, forge.ErrUntold) {
				t.Errorf("%d: %v", status, err)
			}
		}
	}
}
