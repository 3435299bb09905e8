package github

import (
	"context"
	"errors"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// EnsurePullRequest implements forge.Forge. It always looks before it creates, and looks again when it can't know whether a
// creation took place; GitHub itself refuses a second open pull request for the same two branches.
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
	found, p, err := s.findOrCreate(ctx, r)
	if err != nil {
		return forge.PullRequest{}, err
	}
	if state(p) == forge.Open {
		if err := s.complete(ctx, r, p, found); err != nil {
			return forge.PullRequest{}, err
		}
	}
	return forge.PullRequest{
		Number: p.GetNumber(), URL: p.GetHTMLURL(), Head: r.Head, Base: p.GetBase().GetRef(), State: state(p),
		Found: found, Created: p.GetCreatedAt().Time, Warnings: s.warnings, Host: f.host, Owner: s.owner, Name: s.name,
	}, nil
}

// resolve asks for the repository: whether it is there and writable, and its name today, for a renamed one answers to its old name
// while its branches are found under the new one only.
func (s *session) resolve(ctx context.Context) (repo *gh.Repository, err error) {
	err = s.repeat(ctx, "read repository", func(c *gh.Client) (resp *gh.Response, err error) {
		repo, resp, err = c.Repositories.Get(ctx, s.owner, s.name)
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	if o, n := repo.GetOwner().GetLogin(), repo.GetName(); o != "" && n != "" {
		s.owner, s.name = o, n
	}
	if repo.GetArchived() {
		return nil, s.archived()
	}
	return repo, nil
}

func (s *session) archived() error {
	return fault.New(fault.Denied, "GitHub: repository %s/%s is archived: nothing can be changed there", s.owner, s.name).
		WithHint("unarchive it in its settings")
}

// findOrCreate looks, creates when there is nothing, and looks again when the creation's end is not known.
func (s *session) findOrCreate(ctx context.Context, r forge.Request) (found bool, p *gh.PullRequest, err error) {
	unsure := false // one of our own creations may have taken place
	for {
		p, err := s.find(ctx, r)
		if err != nil || p != nil {
			return !unsure, p, err
		}
		p, err = s.create(ctx, r)
		if err == nil {
			return false, p, nil
		}
		var pr *problem
		if !errors.As(err, &pr) {
			return false, nil, err
		}
		switch {
		case pr.says("pull request already exists"):
			pr.passing = true // it was made since we looked; the list will show it
		case pr.passing && !pr.limited && pr.gone == "":
			unsure = true
		}
		again, err := s.again(ctx, "create pull request", err)
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
