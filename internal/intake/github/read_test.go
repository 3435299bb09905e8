package github_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/github"
	"github.com/longshift/longshift/signals"
)

// read reads an issue and fails the test on an error.
func (b *bench) read(number int) intake.Work {
	b.t.Helper()
	w, err := b.source.Read(b.t.Context(), b.query, strconv.Itoa(number))
	if err != nil {
		b.t.Fatalf("Read: %v", err)
	}
	return w
}

// TestTrust checks which issues may be begun. Each step happens a minute after the one before. Only alice and carol may write.
func TestTrust(t *testing.T) {
	type step func(b *bench, n int)
	label := func(by string) step { return func(b *bench, n int) { b.server.Label(repoName, n, by, "longshift") } }
	unlabel := func(by string) step { return func(b *bench, n int) { b.server.Unlabel(repoName, n, by, "longshift") } }
	assign := func(by string) step {
		return func(b *bench, n int) { b.server.Assign(repoName, n, by, "longshift-bot") }
	}
	rewrite := func(by string) step {
		return func(b *bench, n int) { b.server.Rewrite(repoName, n, by, "Text by "+by) }
	}
	retitle := func(by string) step {
		return func(b *bench, n int) { b.server.Retitle(repoName, n, by, "Title by "+by) }
	}
	noGraph := func(b *bench, n int) {
		b.server.Inject(forgetest.Fault{Status: http.StatusNotFound, Text: "Not Found"}.On("POST", "/graphql"))
	}
	const both = "longshift longshift-bot"
	for _, c := range []struct {
		name  string
		query string // label and assignee
		steps []step
		by    string
		no    string // a part of it; "" is yes
	}{
		{"labelled", "longshift", []step{label("alice")}, "alice", ""},
		{"labelled by the author", "longshift", []step{label("mallory")}, "mallory", "labelled by mallory, who has no write access"},
		{"labelled by a bot", "longshift", []step{label("renovate[bot]")}, "renovate[bot]", "labelled by renovate[bot], which is a bot"},
		{"labelled by the author, then by a writer", "longshift", []step{label("mallory"), unlabel("alice"), label("alice")}, "alice", ""},
		{"labelled by a writer, then by the author", "longshift", []step{label("alice"), unlabel("alice"), label("mallory")}, "mallory", "labelled by mallory"},
		{"label taken off", "longshift", []step{label("alice"), unlabel("alice")}, "", `it needs the label "longshift"`},
		{"only assigned", "longshift", []step{assign("alice")}, "", `it needs the label "longshift"`},
		{"label from nowhere", "longshift", []step{func(b *bench, n int) {
			b.server.EditIssue(repoName, n, func(i *forgetest.Issue) { i.Labels = []string{"longshift"} })
		}}, "", "labelled by somebody who is not known any more"},
		{"assigned", " me", []step{assign("carol")}, "carol", ""},
		{"assigned by name", " longshift-bot", []step{assign("carol")}, "carol", ""},
		{"assigned by the author", " me", []step{assign("mallory")}, "mallory", "assigned by mallory"},
		{"only labelled", " me", []step{label("alice")}, "", `it needs the assignee "me"`},
		{"both", both, []step{label("alice"), assign("carol")}, "carol", ""},
		{"both, one by the author", both, []step{label("mallory"), assign("carol")}, "carol", "labelled by mallory"},
		{"one of both", both, []step{label("alice")}, "", "and it needs the assignee"},
		{"closed", "longshift", []step{label("alice"), func(b *bench, n int) { b.server.CloseIssue(repoName, n) }}, "", "closed"},
		{"claimed", "longshift", []step{label("alice"), func(b *bench, n int) { b.server.Label(repoName, n, "carol", "LONGSHIFT-claimed") }},
			"alice", "claimed"},

		{"text changed before", "longshift", []step{rewrite("mallory"), label("alice")}, "alice", ""},
		{"text changed after by its author", "longshift", []step{label("alice"), rewrite("mallory")}, "alice",
			"the text was changed by mallory, who has no write access, after alice labelled the issue"},
		{"text changed after by a writer", "longshift", []step{label("alice"), rewrite("carol")}, "alice", ""},
		{"text changed after by its author, then by a writer", "longshift", []step{label("alice"), rewrite("mallory"), rewrite("carol")}, "alice",
			"changed by mallory"},
		{"text changed after by a bot", "longshift", []step{label("alice"), rewrite("format[bot]")}, "alice", "changed by format, which is a bot"},
		{"text changed after by a bot with the name of a writer", "longshift", []step{label("alice"), rewrite("carol[bot]")}, "alice", "which is a bot"},
		{"text changed in the same second, and later by a writer", "longshift", []step{
			func(b *bench, n int) { label("alice")(b, n); rewrite("mallory")(b, n) }, rewrite("carol")}, "alice", "changed by mallory"},
		{"text changed after by an account that is gone", "longshift", []step{label("alice"), rewrite("")}, "alice", "somebody who is not known"},
		{"text changed in the same second", "longshift", []step{func(b *bench, n int) { label("alice")(b, n); rewrite("mallory")(b, n) }}, "alice",
			"changed by mallory"},
		{"changed, and asked for again", "longshift", []step{label("alice"), rewrite("mallory"), unlabel("carol"), label("carol")}, "carol", ""},
		{"changed between the two that are asked for", both, []step{label("alice"), rewrite("mallory"), assign("carol")}, "carol", ""},
		{"many changes", "longshift", []step{label("alice"), rewrite("mallory"), func(b *bench, n int) {
			for range 230 {
				rewrite("carol")(b, n)
			}
		}}, "alice", "changed by mallory"},
		{"too many changes", "longshift", []step{label("alice"), rewrite("mallory"), func(b *bench, n int) {
			for range 600 {
				rewrite("carol")(b, n)
			}
		}}, "alice", "does not tell"},
		{"title changed after by its author", "longshift", []step{label("alice"), retitle("mallory")}, "alice",
			"the title was changed by mallory, who has no write access, after alice labelled"},
		{"title changed after by a writer", "longshift", []step{label("alice"), retitle("carol")}, "alice", ""},
		{"title changed before", "longshift", []step{retitle("mallory"), label("alice")}, "alice", ""},

		{"no GraphQL, author without access", "longshift", []step{label("alice"), noGraph}, "alice", "does not tell"},
		{"no GraphQL, author with access", "longshift", []step{label("alice"), noGraph, func(b *bench, n int) {
			b.server.SetPermission(repoName, "mallory", "write")
		}}, "alice", ""},
		{"lost the access since", "longshift", []step{label("alice"), func(b *bench, n int) { b.server.SetPermission(repoName, "alice", "read") }},
			"alice", "labelled by alice, who has no write access"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.query.Label, b.query.Assignee, _ = strings.Cut(c.query, " ")
			n := b.server.AddIssue(repoName, forgetest.Issue{Title: "Greet", Body: "In French.", Author: "mallory"})
			for _, s := range c.steps {
				b.clock.advance(time.Minute)
				s(b, n)
			}
			w := b.read(n)
			if w.By != c.by || (w.No == "") != (c.no == "") || !strings.Contains(w.No, c.no) || strings.ContainsRune(w.No, '\n') {
				t.Errorf("by %q, no %q; want by %q, no %q", w.By, w.No, c.by, c.no)
			}
		})
	}
}

// TestUntoldIsLoggedOnce: every poll returns the same issue.
func TestUntoldIsLoggedOnce(t *testing.T) {
	b := newBench(t)
	n := b.wanted()
	for range 3 {
		b.server.Inject(forgetest.Fault{Status: http.StatusNotFound, Text: "Not Found"}.On("POST", "/graphql"))
		if b.read(n).No == "" {
			t.Error("it may be begun")
		}
	}
	if got := strings.Count(b.log.String(), "left alone"); got != 1 {
		t.Errorf("logged %d times: %s", got, b.log.String())
	}
}

// TestReadGives holds all that is read, and that listing and reading name the issue as the webhook does.
func TestReadGives(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "  Greet\u200b <!-- x --> ", Body: "In French. <!-- hidden -->", Author: "mallory"})
	b.server.Label(repoName, n, "alice", "longshift")
	w := b.read(n)
	if w.Key != strconv.Itoa(n) || w.ID != signals.IssueTaskID("github.com", "acme", "shop", n) || w.Title != "Greet" || w.By != "alice" ||
		w.Task != fmt.Sprintf("Resolve issue #%d.", n) || w.Issue.Body != "In French." || w.Issue.Number != n || w.Priority != 0 ||
		w.URL != fmt.Sprintf("%s/acme/shop/issues/%d", b.server.URL, n) || !w.Created.Equal(b.clock.now()) || w.Sum == "" {
		t.Errorf("got %+v, issue %+v", w, w.Issue)
	}
	var items []intake.Item
	if err := b.source.List(t.Context(), b.query, func(i intake.Item) bool { items = append(items, i); return true }); err != nil {
		t.Fatal(err)
	}
	if len(items) != 1 || items[0] != w.Item {
		t.Errorf("listed %+v, read %+v", items, w.Item)
	}
}

func TestReadRefused(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	pull := b.server.OpenPull(repoName, forgetest.Pull{Title: "Pull", Head: "x", Base: "main", Labels: []string{"longshift"}})
	for _, c := range []struct {
		name  string
		query func(q *intake.Query)
		key   string
		kind  fault.Kind
		words string
	}{
		{"no label, no assignee", func(q *intake.Query) { q.Label = "" }, strconv.Itoa(n), fault.Input, "label or assignee"},
		{"the label of claims", func(q *intake.Query) { q.Label = "Longshift-Claimed" }, strconv.Itoa(n), fault.Input, "claimed issues"},
		{"two labels", func(q *intake.Query) { q.Label = "a,b" }, strconv.Itoa(n), fault.Input, "commas"},
		{"assignee that is none", func(q *intake.Query) { q.Assignee = "*" }, strconv.Itoa(n), fault.Input, "user name"},
		{"pull request", func(*intake.Query) {}, strconv.Itoa(pull), fault.NotFound, "pull request"},
		{"missing", func(*intake.Query) {}, "99999", fault.NotFound, "#99999"},
		{"not a number", func(*intake.Query) {}, "+12", fault.Input, "a number such as 12"},
		{"another host", func(q *intake.Query) { q.Repository.Host = "gitlab.com" }, strconv.Itoa(n), fault.Input, "is not on"},
	} {
		q := b.query
		c.query(&q)
		_, err := b.source.Read(t.Context(), q, c.key)
		t.Log(c.name)
		mustBe(t, err, c.kind, c.words)
	}
	b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token"}.On("POST", "/graphql"))
	b.server.Label(repoName, n, "alice", "longshift")
	_, err := b.source.Read(t.Context(), b.query, strconv.Itoa(n))
	mustBe(t, err, fault.Denied, "Issues: read") // a permission that is missing is said, not passed over
	b.server.SetApp()
	b.query.Assignee = "me"
	_, err = b.source.Read(t.Context(), b.query, strconv.Itoa(n))
	mustBe(t, err, fault.Input, "give the token of an account")
}

func TestNewRefuses(t *testing.T) {
	for _, label := range []string{"", " longshift", "a,b", strings.Repeat("x", 43)} {
		_, err := github.New(github.Config{Hub: nobody{}, Label: label})
		mustBe(t, err, fault.Input, "LONGSHIFT_GITHUB_LABEL")
	}
	if _, err := github.New(github.Config{Hub: nobody{}, Label: strings.Repeat("x", 42)}); err != nil {
		t.Error(err)
	}
	_, err := github.New(github.Config{Label: "longshift"})
	mustBe(t, err, fault.Internal, "need a GitHub")
}

// nobody is a GitHub that is never called.
type nobody struct{ github.Hub }
