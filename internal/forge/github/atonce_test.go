package github

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
)

// TestCallsAtOnce makes calls of every kind side by side: one forge is shared by all tasks of a worker.
func TestCallsAtOnce(t *testing.T) {
	from, n := opened(t)
	b := appOf(from)
	f := b.open(Config{BaseURL: b.server.URL, App: &b.app, Writes: 10_000})
	f.SharedBy(func(context.Context) (int, error) { return 1, nil })
	b.server.Withhold("actions", "checks")
	const times = 4
	var all sync.WaitGroup
	for i := range times {
		for what, call := range map[string]func(context.Context) error{
			"snapshot": func(ctx context.Context) error { _, err := f.Snapshot(ctx, shop(), n, ""); return err },
			"comment":  func(ctx context.Context) error { return f.Comment(ctx, shop(), n, fmt.Sprint("key-", i), "hello") },
			"issues": func(ctx context.Context) error {
				return f.Issues(ctx, shop(), forge.IssueQuery{}, func(forge.ListedIssue) bool { return true })
			},
			"account":   func(ctx context.Context) error { _, err := f.Account(ctx); return err },
			"may write": func(ctx context.Context) error { _, err := f.MayWrite(ctx, shop(), "alice"); return err },
			"state":     func(ctx context.Context) error { _, err := f.State(ctx, shop(), n); return err },
			"others": func(ctx context.Context) error { // of the same process, by another token
				who := fmt.Sprint("another ", i)
				f.limit.pause(who, begin, time.Second)
				f.pace.take(ctx, who, begin)
				(&session{connection: f.connection, who: who}).lacks(who, "a permission is missing")
				return nil
			},
		} {
			all.Go(func() {
				if err := call(t.Context()); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
	}
	all.Wait()
	tokens, comments := b.server.Count("POST", mints), b.server.Count("POST", fmt.Sprintf("/issues/%d/comments", n))
	if tokens != 1 || comments != times {
		t.Errorf("%d tokens were made and %d comments, want 1 and %d", tokens, comments, times)
	}
}
