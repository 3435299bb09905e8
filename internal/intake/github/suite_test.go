package github_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
	forgehub "github.com/longshift/longshift/internal/forge/github"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/github"
	"github.com/longshift/longshift/internal/intake/intaketest"
	"github.com/longshift/longshift/task"
)

const repoName = "acme/shop"

// clock moves only when the test moves it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// bench is a source on a server that plays GitHub.
type bench struct {
	t      *testing.T
	server *forgetest.GitHub
	clock  *clock
	log    *bytes.Buffer // of the sources; tests that look at it make one call at a time
	source *github.Source
	query  intake.Query
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, server: forgetest.NewGitHub(t), log: new(bytes.Buffer), clock: &clock{at: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}}
	b.server.SetNow(b.clock.now)
	b.server.AddRepository(forgetest.Repository{Name: repoName, Branches: map[string]string{"main": "1"}, Collaborators: []string{"alice", "carol"}})
	b.query = intake.Query{Repository: task.Repository{Text: repoName, Owner: "acme", Name: "shop"}, Label: "longshift"}
	b.source = b.open()
	return b
}

// open makes a source as another process would.
func (b *bench) open() *github.Source {
	b.t.Helper()
	return b.openOn(func(h github.Hub) github.Hub { return h })
}

// openOn makes a source on what is made of the hub.
func (b *bench) openOn(change func(github.Hub) github.Hub) *github.Source {
	b.t.Helper()
	hub, err := forgehub.New(forgehub.Config{
		Token: func(context.Context) (string, error) { return forgetest.Token, nil }, BaseURL: b.server.URL, HTTP: b.server.Client(), Now: b.clock.now,
		Sleep: func(ctx context.Context, d time.Duration) error { b.clock.advance(d); return ctx.Err() },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := github.New(github.Config{Hub: change(hub), Host: "github.com", Label: "longshift", Log: slog.New(slog.NewTextHandler(b.log, nil))})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// patient waits for the next call as long as the fault demands.
type patient struct {
	*bench
}

func (p patient) wait(err error) error {
	if later := (*fault.Later)(nil); errors.As(err, &later) {
		p.clock.advance(later.After)
	}
	return err
}

func (p patient) List(ctx context.Context, q intake.Query, visit func(intake.Item) bool) error {
	return p.wait(p.source.List(ctx, q, visit))
}

func (p patient) Read(ctx context.Context, q intake.Query, key string) (intake.Work, error) {
	w, err := p.source.Read(ctx, q, key)
	return w, p.wait(err)
}

func (p patient) Queue(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return p.wait(p.source.Queue(ctx, q, key, n))
}

func (p patient) Claim(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return p.wait(p.source.Claim(ctx, q, key, n))
}

func (p patient) Report(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return p.wait(p.source.Report(ctx, q, key, n))
}

// notes returns the comments of our account on an issue.
func (b *bench) notes(number int) (all []string) {
	for _, c := range b.server.Comments(repoName, number) {
		if c.By == "longshift-bot" {
			all = append(all, c.Body)
		}
	}
	return all
}

func TestSuite(t *testing.T) {
	for _, asked := range []string{"label", "assignee"} {
		t.Run(asked, func(t *testing.T) {
			intaketest.Run(t, func(t *testing.T) intaketest.Harness {
				b := newBench(t)
				if asked == "assignee" {
					b.query.Label, b.query.Assignee = "", "me"
				}
				return b.harness(asked)
			})
		})
	}
}

func (b *bench) harness(asked string) intaketest.Harness {
	number := func(t *testing.T, key string) int {
		t.Helper()
		n, err := strconv.Atoi(key)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return intaketest.Harness{
		Source: patient{b}, Reporter: patient{b}, Query: b.query, Unknown: "77", Token: forgetest.Token,
		Add: func(t *testing.T, title, body string) string {
			n := b.server.AddIssue(repoName, forgetest.Issue{Title: title, Body: body, Author: "mallory"})
			b.clock.advance(time.Minute)
			if asked == "label" {
				b.server.Label(repoName, n, "alice", "longshift")
			} else {
				b.server.Assign(repoName, n, "alice", "longshift-bot")
			}
			return strconv.Itoa(n)
		},
		Edit: func(t *testing.T, key, body string) {
			b.clock.advance(time.Minute)
			b.server.Rewrite(repoName, number(t, key), "carol", body)
		},
		Remove: func(t *testing.T, key string) { b.server.DeleteIssue(repoName, number(t, key)) },
		Shown:  func(t *testing.T, key string) []string { return b.notes(number(t, key)) },
		Fail: func(t *testing.T, f intaketest.Failure) {
			switch f {
			case intaketest.ServerError: // with a wait that is too long to sit out, for a short one is
				down := forgetest.ServerError(http.StatusServiceUnavailable)
				down.Header = http.Header{"Retry-After": {"60"}}
				b.server.Inject(down)
			case intaketest.RateLimit:
				b.server.Inject(forgetest.SecondaryLimit(http.StatusForbidden, intaketest.Wait))
			case intaketest.BadToken:
				b.server.Inject(forgetest.Fault{Status: http.StatusUnauthorized, Text: "Bad credentials"})
			}
		},
	}
}

// mustBe checks the kind and the text of an error.
func mustBe(t *testing.T, err error, kind fault.Kind, words string) {
	t.Helper()
	if fault.KindOf(err) != kind || !strings.Contains(err.Error()+" / "+fault.HintOf(err), words) {
		t.Errorf("got %v (%s, hint %q), want %s with %q", err, fault.KindOf(err), fault.HintOf(err), kind, words)
	}
}
