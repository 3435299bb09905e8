package github

import (
	"context"
	"net/http"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

var _ forge.Stater = (*Forge)(nil)

// State implements forge.Stater.
func (f *Forge) State(ctx context.Context, r task.Repository, number int) (forge.State, error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return "", unseen(err)
	}
	pull, err := s.pull(ctx, number)
	if fault.KindOf(err) == fault.NotFound {
		if _, hidden := s.resolve(ctx); hidden != nil {
			err = unseen(hidden)
		}
	}
	if err != nil {
		return "", err
	}
	return state(pull), nil
}

// unseen is the error about a repository that can't be read: its pull requests may be open, and only the right to see them be lost.
func unseen(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return fault.New(fault.Denied, "%w", err)
	}
	return err
}

func (s *session) pull(ctx context.Context, number int) (pull *gh.PullRequest, err error) {
	err = s.repeat(ctx, "read pull request", func(c *gh.Client) (resp *gh.Response, err error) {
		pull, resp, err = c.PullRequests.Get(ctx, s.owner, s.name, number)
		return resp, err
	})
	if answered(err, http.StatusNotFound, http.StatusGone) {
		err = fault.New(fault.NotFound, "GitHub: pull request %s/%s#%d is not there: %w", s.owner, s.name, number, err)
	}
	return pull, err
}
