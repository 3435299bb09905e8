// Package local is a forge for a git repository on this machine, bare or not: a pull request is a ref on its head commit and a readable
// record beside it. It writes only refs and objects: it never changes a working tree, an index or a branch, and never runs a hook, a
// filter or a network transport of the repository.
package local

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// Config is what a Forge needs. The zero value works.
type Config struct {
	Git string // the git program; "git" on the PATH when empty
	Log *slog.Logger
	Now func() time.Time
}

// Forge opens pull requests in repositories on this machine. It is safe for concurrent use, by several processes too.
type Forge struct {
	program string
	log     *slog.Logger
	now     func() time.Time

	attempts int    // how often a call tries again after losing a race; in each round one process succeeds
	written  func() // for tests: called when a record has just been written
}

var _ forge.Forge = (*Forge)(nil)

func New(c Config) *Forge {
	f := &Forge{program: c.Git, log: c.Log, now: c.Now, attempts: 50, written: func() {}}
	if f.program == "" {
		f.program = "git"
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	if f.now == nil {
		f.now = time.Now
	}
	return f
}

func (f *Forge) EnsurePullRequest(ctx context.Context, r forge.Request) (forge.PullRequest, error) {
	if r.Repository.Path == "" {
		return forge.PullRequest{}, fault.New(fault.Input, "repository %q is not a path", r.Repository.Text).WithHint("give an absolute path")
	}
	if err := r.Check(); err != nil {
		return forge.PullRequest{}, err
	}
	g, err := f.open(r.Repository.Path)
	if err != nil {
		return forge.PullRequest{}, err
	}
	r.Title, r.Body = r.OneLine(), forge.Tagged(r.Body, r.TaskID, r.Fence)
	for range f.attempts {
		p, err := f.ensure(ctx, g, r)
		if err != errRaced {
			return p, err
		}
	}
	return forge.PullRequest{}, fault.New(fault.Infra, "local forge: %s: other processes were faster %d times, or hold a lock below %s",
		g.path, f.attempts, refPrefix)
}

// ensure finds the pull request and updates it, or creates it. errRaced means that another process wrote first.
func (f *Forge) ensure(ctx context.Context, g *repository, r forge.Request) (forge.PullRequest, error) {
	all, err := g.records(ctx)
	if err != nil {
		return forge.PullRequest{}, err
	}
	for _, p := range all {
		if p.Head == r.Head {
			if err := g.settle(ctx, p); err != nil {
				return forge.PullRequest{}, fmt.Errorf("local forge: %w", err)
			}
		}
	}
	ours, err := pick(all, r)
	if err != nil {
		return forge.PullRequest{}, err
	}
	found := ours != nil
	var warnings []string
	switch {
	case !found:
		ours, warnings, err = f.create(ctx, g, r, nextNumber(all))
	case ours.State == forge.Open:
		warnings, err = f.update(ctx, g, r, ours)
	}
	if err != nil {
		return forge.PullRequest{}, err
	}
	return g.result(ctx, ours, found, warnings)
}

// pick returns the record of this task, or nil. An open one of another task from the same branch is a fault.
func pick(all []*Record, r forge.Request) (*Record, error) {
	var ours, foreign *Record
	for _, p := range all {
		switch {
		case p.Head != r.Head:
		case p.Task == r.TaskID && (ours == nil || p.State == forge.Open || ours.State != forge.Open):
			ours = p
		case p.Task != r.TaskID && p.State == forge.Open && foreign == nil:
			foreign = p
		}
	}
	switch {
	case ours != nil && ours.Fence > r.Fence:
		return nil, fault.New(fault.Fenced, "pull request #%d was written by attempt %d of this task; this is attempt %d",
			ours.Number, ours.Fence, r.Fence)
	case ours == nil && foreign != nil:
		return nil, fault.New(fault.Changed, "pull request #%d from branch %q in %s was not opened by this task",
			foreign.Number, r.Head, r.Repository.Path).
			WithHint("close it, or give the task another branch")
	}
	return ours, nil
}

func nextNumber(all []*Record) int {
	n := 0
	for _, p := range all {
		n = max(n, p.Number)
	}
	return n + 1
}

// result returns the pull request to the caller, after setting its head ref: a crash may have come between the record and the ref.
func (g *repository) result(ctx context.Context, p *Record, found bool, warnings []string) (forge.PullRequest, error) {
	if p.State == forge.Open {
		if err := g.point(ctx, p); err != nil {
			return forge.PullRequest{}, fmt.Errorf("local forge: %w", err)
		}
	}
	return forge.PullRequest{
		Number: p.Number, URL: p.URL, Head: p.Head, Base: p.Base, State: p.State,
		Found: found, Created: p.Created, Warnings: warnings,
	}, nil
}
