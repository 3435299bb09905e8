package github

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

const (
	maxItems = 20
	maxText  = 4 << 10 // bytes of an item's text, and of its log
	maxHunk  = 2 << 10 // bytes

	maxWarnings = 3 // of a snapshot
)

var _ forge.Follower = (*Forge)(nil)

// snapshot takes one snapshot of a pull request.
type snapshot struct {
	*session
	forge.Snapshot
	repo     task.Repository
	number   int
	have     map[string]page // pages read by unchanged, by path
	tags     []tagged        // of the pages that were read, in this order
	untagged bool            // some page had no tag
	me       string          // account of the token; "" for an app's
	author   string          // of the pull request: counts as our own account
	forked   bool            // the head is in a fork
	writers  map[string]bool // whether a login may write: asked once per snapshot
	done     map[string]int64
	found    []finding
	until    time.Time // when a check that is pending has had its time, if nothing changes before
}

// finding is an item, and the check run that it comes from, if any.
type finding struct {
	forge.Item
	run *gh.CheckRun
}

// rank puts what people say before checks.
func (f finding) rank() int {
	if f.Kind == forge.CheckItem {
		return 1
	}
	return 0
}

// Snapshot implements forge.Follower. An unchanged pull request costs nothing of the rate limit. Permissions are read but not part of
// the stamp: comments by somebody who is given access later count from the next change on. A closed pull request has no items.
func (f *Forge) Snapshot(ctx context.Context, r task.Repository, number int, seen string) (forge.Snapshot, error) {
	if number <= 0 {
		return forge.Snapshot{}, fault.New(fault.Input, "pull request number %d is none", number)
	}
	end, err := f.looks.begin(ctx, f.now())
	if err != nil {
		return forge.Snapshot{}, err
	}
	defer end()
	s, err := f.visit(ctx, r)
	if err != nil {
		return forge.Snapshot{}, err
	}
	l := &snapshot{session: s, repo: r, number: number, have: map[string]page{}, writers: map[string]bool{}, done: map[string]int64{}}
	if same, err := l.unchanged(ctx, seen); err != nil {
		return forge.Snapshot{}, err
	} else if same {
		return forge.Snapshot{Unchanged: true}, nil
	}
	p, err := l.pull(ctx)
	if err != nil {
		return forge.Snapshot{}, err
	}
	if l.State == forge.Open {
		if err := l.read(ctx); err != nil {
			return forge.Snapshot{}, err
		}
	}
	l.Stamp = l.stamp(p)
	l.Warnings = l.warnings[:min(len(l.warnings), maxWarnings)]
	return l.Snapshot, nil
}

func (l *snapshot) pull(ctx context.Context) (*gh.PullRequest, error) {
	p, _, err := pageAt[*gh.PullRequest](ctx, l, kindPull, 1)
	switch {
	case answered(err, http.StatusNotFound, http.StatusGone):
		return nil, l.noSuchPull(ctx, err)
	case err != nil:
		return nil, err
	case p.GetBase().GetRepo().GetArchived() && state(p) == forge.Open:
		return nil, l.archived()
	}
	l.State, l.Draft, l.Mergeable = state(p), p.GetDraft(), p.Mergeable
	l.Head, l.Base, l.BaseHead = p.GetHead().GetSHA(), p.GetBase().GetRef(), p.GetBase().GetSHA()
	l.MergedBy, l.author = loginOf(p.GetMergedBy()), p.GetUser().GetLogin()
	l.forked = p.GetHead().GetRepo().GetID() != p.GetBase().GetRepo().GetID()
	return p, nil
}

// noSuchPull finds out what is missing: the repository, or the pull request in it.
func (l *snapshot) noSuchPull(ctx context.Context, err error) error {
	if _, err := l.resolve(ctx); err != nil {
		return err
	}
	return fault.New(fault.NotFound, "GitHub: pull request %s/%s#%d is not there, or the token can't see it: %w",
		l.owner, l.name, l.number, err).
		WithHint("give the token the permission \"Pull requests: write\"; somebody may have deleted the pull request")
}

// read reads reviews, comments and checks, and sorts the items.
func (l *snapshot) read(ctx context.Context) error {
	b, _, err := pageAt[*gh.Branch](ctx, l, kindBase, 1)
	switch sha := b.GetCommit().GetSHA(); {
	case answered(err, http.StatusNotFound): // the base branch was deleted; the pull request has its last commit
		l.untagged = true
	case err != nil:
		return err
	case sha != "":
		l.BaseHead = sha
	}
	if err := l.people(ctx); err != nil {
		return err
	}
	if err := l.checks(ctx); err != nil {
		return err
	}
	order := func(a, b finding) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Key, b.Key)) }
	slices.SortStableFunc(l.found, func(a, b finding) int { // failed checks take no room from what people say
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), order(a, b))
	})
	if l.More = len(l.found) - maxItems; l.More > 0 {
		l.found = l.found[:maxItems]
	}
	l.More = max(l.More, 0)
	slices.SortStableFunc(l.found, order)
	for _, f := range l.found {
		if f.run != nil {
			if err := l.detail(ctx, &f); err != nil {
				return err
			}
		}
		l.Items = append(l.Items, f.Item)
	}
	return nil
}
