package github

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

// begin is the time on the clock of the tests.
var begin = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// testClock advances only when somebody sleeps on it.
type testClock struct {
	mu    sync.Mutex
	at    time.Time
	slept []time.Duration
}

func (c *testClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *testClock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

func (c *testClock) advance(d time.Duration) { _ = c.sleep(context.Background(), d) }

// total is the time slept so far.
func (c *testClock) total() (sum time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.slept {
		sum += d
	}
	return sum
}

// bench is a forge against a server that plays GitHub, with a repository acme/shop on disk.
type bench struct {
	t      *testing.T
	server *forgetest.GitHub
	gitDir string
	forge  *Forge
	clock  *testClock
	log    *lockedBuffer
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, server: forgetest.NewGitHub(t), clock: &testClock{at: begin}, log: &lockedBuffer{}}
	b.gitDir = forgetest.NewRepository(t)
	b.server.SetNow(b.clock.now)
	b.server.AddRepository(forgetest.Repository{
		Name: "acme/shop", GitDir: b.gitDir, Collaborators: []string{"alice", "bob"}, Teams: []string{"web"},
	})
	b.forge = b.open(Config{BaseURL: b.server.URL})
	t.Cleanup(func() {
		if strings.Contains(b.log.String(), forgetest.Token) {
			t.Error("the token is in the log")
		}
	})
	return b
}

// open makes a forge with the clock and the log of the bench.
func (b *bench) open(c Config) *Forge {
	b.t.Helper()
	if c.Token == nil {
		c.Token = func(context.Context) (string, error) { return forgetest.Token, nil }
	}
	c.HTTP, c.Now, c.Sleep = b.server.Client(), b.clock.now, b.clock.sleep
	c.Log = slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f, err := New(c)
	if err != nil {
		b.t.Fatal(err)
	}
	return f
}

func shop() task.Repository { return task.Repository{Text: "acme/shop", Owner: "acme", Name: "shop"} }

func (b *bench) request() forge.Request {
	b.t.Helper()
	const head = "longshift/task-1"
	return forge.Request{
		Repository: shop(), TaskID: "task-1", Fence: 1, Head: head, HeadCommit: forgetest.AddBranch(b.t, b.gitDir, head, "main"),
		Base: "main", Title: "Greet in French", Body: "What was done.",
	}
}

// ensure makes a call that must succeed.
func (b *bench) ensure(r forge.Request) forge.PullRequest {
	b.t.Helper()
	p, err := b.forge.EnsurePullRequest(b.t.Context(), r)
	if err != nil {
		b.t.Fatalf("EnsurePullRequest: %v", err)
	}
	return p
}

// fails makes a call that must fail, and looks for the token in all that can be printed of the error.
func (b *bench) fails(r forge.Request) error {
	b.t.Helper()
	p, err := b.forge.EnsurePullRequest(b.t.Context(), r)
	if err == nil {
		b.t.Fatalf("got %+v, want an error", p)
	}
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		if strings.Contains(text, forgetest.Token) {
			b.t.Errorf("the token is in the error: %s", text)
		}
	}
	return err
}

// only returns the one pull request that exists.
func (b *bench) only() forgetest.Pull {
	b.t.Helper()
	all := b.server.Pulls("acme/shop")
	if len(all) != 1 {
		b.t.Fatalf("%d pull requests stand, want 1: %+v", len(all), all)
	}
	return all[0]
}
