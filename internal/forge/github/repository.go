package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// RepositoryState is what GitHub knows of a repository before a task is started on it.
type RepositoryState struct {
	Base     string // the requested branch, or the default one
	Head     string // its commit; "" when the branch does not exist
	Writable bool   // the token's account may push
	Known    bool   // Longshift has made a branch there before
}

// RepositoryState reads it. base may be ""; ours is the prefix of Longshift's branches. An archived repository is an error.
func (f *Forge) RepositoryState(ctx context.Context, r task.Repository, base, ours string) (RepositoryState, error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return RepositoryState{}, err
	}
	repo, err := s.resolve(ctx)
	if err != nil {
		return RepositoryState{}, err
	}
	push, told := repo.GetPermissions()["push"] // an app's token is not told
	if s.app != nil {
		push, told = s.pushes, true
	}
	st := RepositoryState{Base: base, Writable: push || !told}
	if base == "" {
		st.Base = repo.GetDefaultBranch()
	}
	branch, err := get[gh.Branch](ctx, s, "read base branch", s.path("branches/%s", url.PathEscape(st.Base)), "")
	if err != nil && !answered(err, http.StatusNotFound) {
		return RepositoryState{}, err
	}
	st.Head = branch.value.GetCommit().GetSHA()
	refs, err := get[[]*gh.Reference](ctx, s, "list branches", s.path("git/matching-refs/%s", url.PathEscape("heads/"+ours)), "")
	st.Known = len(refs.value) > 0
	return st, err
}

// resolve reads the repository, fails when it is missing or archived, and takes over its current name: a renamed repository answers to
// its old name, but its branches are found only under the new one.
func (s *session) resolve(ctx context.Context) (*gh.Repository, error) {
	repo, err := s.repository(ctx)
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

func (s *session) repository(ctx context.Context) (repo *gh.Repository, err error) {
	err = s.repeat(ctx, "read repository", func(c *gh.Client) (resp *gh.Response, err error) {
		repo, resp, err = c.Repositories.Get(ctx, s.owner, s.name)
		return resp, err
	})
	return repo, err
}

func (s *session) archived() error {
	return fault.New(fault.Denied, "GitHub: repository %s/%s is archived: nothing can be changed there", s.owner, s.name).
		WithHint("unarchive it in its settings")
}

// path returns the path of an API call below the repository.
func (s *session) path(format string, args ...any) string {
	return "repos/" + s.owner + "/" + s.name + "/" + fmt.Sprintf(format, args...)
}
