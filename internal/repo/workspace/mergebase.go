package workspace

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// fetchBase fetches the base branch into the mirror and returns its tip.
func (ms *merges) fetchBase(ctx context.Context) (string, error) {
	rem, err := ms.remotes.find(ctx, ms.state.Repository)
	if err != nil {
		return "", err
	}
	branch := ms.state.Record.BaseBranch
	l, err := rem.list(ctx, "refs/heads/"+branch)
	if err != nil {
		return "", err
	}
	tip := l.refs["refs/heads/"+branch]
	if tip == "" {
		return "", baseGone(rem, branch)
	}
	if tip, err = ms.mirrors.base(ctx, rem, ms.state.Mirror, ms.state.Format, branch, tip); err != nil {
		return "", err
	}
	return tip, ms.mirrors.keep(ctx, ms.state.Mirror, ms.id, tip)
}

func baseGone(rem remote, branch string) error {
	return fault.New(fault.NotFound, "the base branch %q is not on %s any more", branch, rem.name).
		WithHint("give the pull request another base branch, or close it")
}

// related makes sure that both commits share history.
func (ms *merges) related(ctx context.Context, head, base string) error {
	common, err := common(ctx, ms.bare, head, base)
	if err == nil && common == "" {
		err = fault.New(fault.Changed, "the base branch %q and the branch %q have no commit in common",
			ms.state.Record.BaseBranch, ms.state.Record.Branch).WithHint("the base branch was made anew; start the task anew too")
	}
	return err
}

// common returns the merge base of two commits, "" when there is none.
func common(ctx context.Context, r repo, a, b string) (string, error) {
	id, err := r.run(ctx, "merge-base", a, b)
	if git.ExitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimSpace(id), err
}
