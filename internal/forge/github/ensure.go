package github

import (
	"context"
	"errors"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// EnsurePullRequest implements forge.Forge. It looks before it creates, and again when a creation may have succeeded; GitHub itself
// refuses a second open pull request for the same two branches.
func (f *Forge) EnsurePullRequest(ctx context.Context, r forge.Request) (forge.PullRequest, error) {
	if err := r.Check(); err != nil {
		return forge.PullRequest{}, err
	}
	s, err := f.visit(ctx, r.Repository)
	if err != nil {
		return forge.PullRequest{}, err
	}
	if _, err := s.resolve(ctx); err != nil {
		return forge.PullRequest{}, err
	}
	r.Title, r.Body = r.OneLine(), forge.Tagged(r.Body, r.TaskID, r.Fence)
	found, p, err := (&publication{s, r}).ensure(ctx)
	if err != nil {
		return forge.PullRequest{}, err
	}
	return forge.PullRequest{
		Number: p.GetNumber(), URL: p.GetHTMLURL(), Head: r.Head, Base: p.GetBase().GetRef(), State: state(p),
		Found: found, Created: p.GetCreatedAt().Time, Warnings: s.warnings, Host: f.host, Owner: s.owner, Name: s.name,
	}, nil
}

// publication opens and completes the pull request of a request.
type publication struct {
	*session
	request forge.Request
}

// ensure finds or creates the pull request, and completes it while it is open.
func (p *publication) ensure(ctx context.Context) (found bool, pull *gh.PullRequest, err error) {
	found, pull, err = p.findOrCreate(ctx)
	if err == nil && state(pull) == forge.Open {
		err = p.complete(ctx, pull, found)
	}
	return found, pull, err
}

// findOrCreate finds the pull request, or creates it. It looks again when a creation may have succeeded.
func (p *publication) findOrCreate(ctx context.Context) (found bool, pull *gh.PullRequest, err error) {
	unsure := false // an attempt to create it may have succeeded
	for {
		pull, err := p.find(ctx)
		if err != nil || pull != nil {
			return !unsure, pull, err
		}
		pull, err = p.create(ctx)
		if err == nil {
			return false, pull, nil
		}
		var pr *problem
		if !errors.As(err, &pr) {
			return false, nil, err
		}
		switch {
		case pr.says("pull request already exists"):
			pr.passing = true // created since find has looked; the list will show it
		case pr.passing && !pr.limited && pr.gone == "":
			unsure = true
		}
		again, err := p.again(ctx, "create pull request", err)
		if !again {
			return false, nil, err
		}
	}
}

func state(p *gh.PullRequest) forge.State {
	switch {
	case p.GetMerged() || p.MergedAt != nil:
		return forge.Merged
	case p.GetState() == "closed":
		return forge.Closed
	}
	return forge.Open
}
