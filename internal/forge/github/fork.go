package github

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

var _ forge.Forker = (*Forge)(nil)

// Fork implements forge.Forker. It looks before it makes a fork. GitHub keeps one fork of a repository per account, and returns it when
// asked to make it again.
func (f *Forge) Fork(ctx context.Context, r task.Repository) (task.Repository, error) {
	fork, err := f.lookForFork(ctx, r)
	if err != nil {
		return task.Repository{}, err
	}
	return fork.ready(ctx)
}

// ready returns the fork, made where there is none, when git can push to it.
func (f *fork) ready(ctx context.Context) (task.Repository, error) {
	if f.made == nil {
		if err := f.make(ctx); err != nil {
			return task.Repository{}, err
		}
	}
	owner, name := f.made.GetOwner().GetLogin(), f.made.GetName()
	if f.made.GetArchived() {
		return task.Repository{}, fault.New(fault.Denied, "GitHub: the fork %s/%s is archived: nothing can be pushed there", owner, name).
			WithHint("unarchive it in its settings, or delete it")
	}
	f.owner, f.name = owner, name
	if err := f.filled(ctx); err != nil {
		return task.Repository{}, err
	}
	return task.Repository{Text: owner + "/" + name, Owner: owner, Name: name}, nil
}

// mostNumbered is how many names are looked up of a fork whose own name is taken.
const mostNumbered = 9

// FindFork implements forge.Forker. Where the account has another repository of that name, GitHub has put a number behind the fork's.
func (f *Forge) FindFork(ctx context.Context, r task.Repository) (task.Repository, error) {
	fork, err := f.lookForFork(ctx, r)
	for n := 1; err == nil && fork.elsewhere && fork.made == nil && n <= mostNumbered; n++ {
		err = fork.look(ctx, fork.name+"-"+strconv.Itoa(n))
	}
	if err != nil || fork.made == nil {
		return task.Repository{}, err
	}
	return fork.ready(ctx)
}

// ForkOf returns the account that the fork belongs to, and the full name of the fork if it exists. It is asked before a task is
// started.
func (f *Forge) ForkOf(ctx context.Context, r task.Repository) (owner, name string, err error) {
	fork, err := f.lookForFork(ctx, r)
	return fork.account, fork.made.GetFullName(), err
}

// fork is the fork of the session's repository. After it is made, the session is about the fork itself.
type fork struct {
	*session
	account   string         // of the token, which owns the fork
	root      int64          // that all forks come from
	made      *gh.Repository // nil when it does not exist
	elsewhere bool           // the account has another repository of that name
}

// lookForFork looks for a fork of the same name. A fork of another name is found when GitHub is asked to make one.
func (f *Forge) lookForFork(ctx context.Context, r task.Repository) (fork, error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return fork{}, err
	}
	repo, err := s.resolve(ctx)
	if err != nil {
		return fork{}, err
	}
	var me string
	if s.app == nil {
		me, err = s.me(ctx)
	}
	switch {
	case s.app != nil || answered(err, http.StatusForbidden):
		return fork{}, fault.New(fault.Denied, "GitHub: the token is an app's: it has no account that could hold a fork").
			WithHint("give the token of a user, or of an app that may push to %s/%s", s.owner, s.name)
	case err != nil:
		return fork{}, err
	case strings.EqualFold(me, s.owner):
		return fork{}, fault.New(fault.Input, "%s/%s is in the token's own account: it can't be forked there", s.owner, s.name).
			WithHint("leave fork out")
	}
	found := fork{session: s, account: me, root: rootOf(repo)}
	err = found.look(ctx, s.name)
	return found, err
}

// look looks for the fork under a name.
func (f *fork) look(ctx context.Context, name string) error {
	there, err := get[*gh.Repository](ctx, f.session, "read the fork", "repos/"+f.account+"/"+name, "")
	switch {
	case answered(err, http.StatusNotFound):
		return nil
	case err != nil:
		return err
	case rootOf(there.value) == f.root:
		f.made = there.value
	default:
		f.elsewhere = true
	}
	return nil
}

// rootOf returns the id of the repository at the root of all forks: GitHub opens pull requests between any two of the same root.
func rootOf(r *gh.Repository) int64 {
	if source := r.GetSource(); source != nil {
		return source.GetID()
	}
	return r.GetID()
}

// make asks GitHub for the fork. The answer comes before the fork has any content.
func (f *fork) make(ctx context.Context) error {
	return f.repeat(ctx, "make the fork", func(c *gh.Client) (resp *gh.Response, err error) {
		f.made, resp, err = c.Repositories.CreateFork(ctx, f.owner, f.name, &gh.RepositoryCreateForkOptions{DefaultBranchOnly: true})
		if accepted := (*gh.AcceptedError)(nil); errors.As(err, &accepted) {
			err = nil
		}
		return resp, err
	})
}

// filled waits until the fork has content.
func (f *fork) filled(ctx context.Context) error {
	branch := f.path("branches/%s", url.PathEscape(f.made.GetDefaultBranch()))
	for {
		_, err := get[*gh.Branch](ctx, f.session, "read the fork", branch, "")
		if !answered(err, http.StatusNotFound, http.StatusConflict) {
			return err
		}
		again, err := f.again(ctx, "wait for the fork", &problem{message: "the fork is still being made", passing: true})
		if !again {
			return err
		}
	}
}
