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

func (f *Forge) State(ctx context.Context, r task.Repository, number int) (forge.State, error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return "", err
	}
	var pr *gh.PullRequest
	err = s.repeat(ctx, "read pull request", func(c *gh.Client) (resp *gh.Response, err error) {
		pr, resp, err = c.PullRequests.Get(ctx, s.owner, s.name, number)
		return resp, err
	})
	switch {
	case answered(err, http.StatusNotFound, http.StatusGone):
		return "", fault.New(fault.NotFound, "GitHub: pull request %s/%s#%d is not there: %w", s.owner, s.name, number, err)
	case err != nil:
		return "", err
	case pr.GetMerged():
		return forge.Merged, nil
	case pr.GetState() == "closed":
		return forge.Closed, nil
	}
	return forge.Open, nil
}
