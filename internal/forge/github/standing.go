package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/task"
)

// Standing is what GitHub says of a repository that a task is about to be started on.
type Standing struct {
	Base     string // the branch that was asked about, or the default one
	Head     string // its commit; "" when there is no such branch
	Writable bool   // the token's account may push
	Known    bool   // a branch of ours is there already
}

// Standing asks for it. base may be ""; ours is what the names of our branches start with. An archived repository is an error.
func (f *Forge) Standing(ctx context.Context, r task.Repository, base, ours string) (Standing, error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return Standing{}, err
	}
	var repo *gh.Repository
	err = s.repeat(ctx, "read repository", func(c *gh.Client) (resp *gh.Response, err error) {
		repo, resp, err = c.Repositories.Get(ctx, s.owner, s.name)
		return resp, err
	})
	switch {
	case err != nil:
		return Standing{}, err
	case repo.GetArchived():
		return Standing{}, s.archived()
	}
	push, told := repo.GetPermissions()["push"] // an app's token is not told
	st := Standing{Base: base, Writable: push || !told}
	if base == "" {
		st.Base = repo.GetDefaultBranch()
	}
	var branch gh.Branch
	err = s.get(ctx, "read base branch", "branches/"+url.PathEscape(st.Base), &branch)
	if err != nil && !answered(err, http.StatusNotFound) {
		return Standing{}, err
	}
	st.Head = branch.GetCommit().GetSHA()
	var refs []*gh.Reference
	err = s.get(ctx, "list branches", "git/matching-refs/"+url.PathEscape("heads/"+ours), &refs)
	st.Known = len(refs) > 0
	return st, err
}

// get reads one thing of the repository.
func (s *session) get(ctx context.Context, what, path string, into any) error {
	return s.repeat(ctx, what, func(c *gh.Client) (*gh.Response, error) {
		req, err := c.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/%s", s.owner, s.name, path), nil)
		if err != nil {
			return nil, err
		}
		return c.Do(ctx, req, into)
	})
}
