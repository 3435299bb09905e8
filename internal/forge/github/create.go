package github

import (
	"context"
	"errors"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
)

// create makes one attempt to open the pull request. Failures that findOrCreate has to judge are returned as a *problem.
func (p *publication) create(ctx context.Context) (*gh.PullRequest, error) {
	r := p.request
	pull, err := p.post(ctx, r.Draft)
	var pr *problem
	if r.Draft && errors.As(err, &pr) && pr.says("draft pull requests are not supported") {
		if pull, err = p.post(ctx, false); err == nil {
			p.warn("%s/%s has no draft pull requests: #%d is a normal one", p.owner, p.name, pull.GetNumber())
		}
	}
	if err != nil {
		return nil, p.refusal(err)
	}
	if at := pull.GetHead().GetSHA(); r.HeadCommit != "" && at != "" && at != r.HeadCommit {
		p.warn("branch %s is at %.12s, pushed was %.12s", r.Head, at, r.HeadCommit)
	}
	return pull, nil
}

func (p *publication) post(ctx context.Context, draft bool) (pull *gh.PullRequest, err error) {
	r := p.request
	head := r.Head
	if r.HeadOwner != "" {
		head = r.HeadOwner + ":" + r.Head
	}
	err = p.once(ctx, func(c *gh.Client) (resp *gh.Response, err error) {
		pull, resp, err = c.PullRequests.Create(ctx, p.owner, p.name, &gh.NewPullRequest{
			Title: &r.Title, Head: &head, Base: &r.Base, Body: &r.Body, Draft: &draft,
		})
		return resp, err
	})
	return pull, err
}

// refusal explains the refusals that a person has to act on.
func (p *publication) refusal(err error) error {
	r := p.request
	var pr *problem
	if !errors.As(err, &pr) || pr.status != 422 {
		return err
	}
	switch {
	case pr.says("no commits between"):
		return fault.New(fault.Input, "branch %q has no commit that %q in %s/%s lacks: %w", r.Head, r.Base, p.owner, p.name, err).
			WithHint("there is nothing to merge; the work may have been merged already")
	case pr.invalid("base"):
		return fault.New(fault.Input, "base branch %q is not in %s/%s: %w", r.Base, p.owner, p.name, err).
			WithHint("make a branch of that name there, and resume; or abandon the task, and open a pull request for %s by hand", r.Head)
	case pr.invalid("head"):
		pr.passing = true // GitHub may not see a branch that was just pushed
		pr.gone = r.Head
	}
	return err
}
