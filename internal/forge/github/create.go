package github

import (
	"context"
	"errors"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// create makes one attempt to open the pull request. What it can't know, it leaves as a *problem for findOrCreate.
func (s *session) create(ctx context.Context, r forge.Request) (*gh.PullRequest, error) {
	p, err := s.post(ctx, r, r.Draft)
	var pr *problem
	if r.Draft && errors.As(err, &pr) && pr.says("draft pull requests are not supported") {
		if p, err = s.post(ctx, r, false); err == nil {
			s.warn("%s/%s has no draft pull requests: #%d is a normal one", s.owner, s.name, p.GetNumber())
		}
	}
	if err != nil {
		return nil, s.refusal(r, err)
	}
	if at := p.GetHead().GetSHA(); r.HeadCommit != "" && at != "" && at != r.HeadCommit {
		s.warn("branch %s is at %.12s, pushed was %.12s", r.Head, at, r.HeadCommit)
	}
	return p, nil
}

func (s *session) post(ctx context.Context, r forge.Request, draft bool) (p *gh.PullRequest, err error) {
	head := r.Head
	if r.HeadOwner != "" {
		head = r.HeadOwner + ":" + r.Head
	}
	err = s.once(ctx, func(c *gh.Client) (resp *gh.Response, err error) {
		p, resp, err = c.PullRequests.Create(ctx, s.owner, s.name, &gh.NewPullRequest{
			Title: &r.Title, Head: &head, Base: &r.Base, Body: &r.Body, Draft: &draft,
		})
		return resp, err
	})
	return p, err
}

// refusal explains the answers of GitHub that a person must understand.
func (s *session) refusal(r forge.Request, err error) error {
	var p *problem
	if !errors.As(err, &p) || p.status != 422 {
		return err
	}
	switch {
	case p.says("no commits between"):
		return fault.New(fault.Input, "branch %q has no commit that %q in %s/%s lacks: %w", r.Head, r.Base, s.owner, s.name, err).
			WithHint("there is nothing to merge; the work may have been merged already")
	case p.invalid("base"):
		return fault.New(fault.Input, "base branch %q is not in %s/%s: %w", r.Base, s.owner, s.name, err).
			WithHint("name a branch that exists, as base of the task")
	case p.invalid("head"):
		p.passing = true // a branch that was pushed a moment ago may not be seen yet
		p.gone = r.Head
	}
	return err
}
