package github

import (
	"context"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/task"
)

// RepositoryState is what GitHub says of a repository that a task is about to be started on.
type RepositoryState struct {
	Base     string // the branch that was asked about, or the default one
	Head     string // its commit; "" when there is no such branch
	Writable bool   // the token's account may push
	Known    bool   // a branch of ours is there already
}

// RepositoryState asks for it. base may be ""; ours is what the names of our branches start with. An archived repository is an error.
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
	st := RepositoryState{Base: base, Writable: push || !told}
	if base == "" {
		st.Base = repo.GetDefaultBranch()
	}
	at := "repos/" + s.owner + "/" + s.name + "/"
	branch, err := get[gh.Branch](ctx, s, "read base branch", at+"branches/"+url.PathEscape(st.Base), "")
	if err != nil && !answered(err, http.StatusNotFound) {
		return RepositoryState{}, err
	}
	st.Head = branch.value.GetCommit().GetSHA()
	refs, err := get[[]*gh.Reference](ctx, s, "list branches", at+"git/matching-refs/"+url.PathEscape("heads/"+ours), "")
	st.Known = len(refs.value) > 0
	return st, err
}
