package cli

import (
	"context"
	"path"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/task"
)

// Branches are read by their full names: git's short ones are longer where a tag has the same name, such as heads/main.

// currentBranch is the branch that is checked out in a repository, "" for none.
func currentBranch(ctx context.Context, git environ.Git, dir string) (string, error) {
	ref, err := git.Run(ctx, dir, "symbolic-ref", "--quiet", "HEAD")
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok && err == nil {
		return branch, nil
	}
	return "", ctx.Err()
}

// hasBranch reports whether a repository has a branch with a commit.
func hasBranch(ctx context.Context, git environ.Git, dir, branch string) bool {
	_, err := git.Run(ctx, dir, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch+"^{commit}")
	return err == nil
}

// usualBranch is main or master, whichever a repository has, "" for neither.
func usualBranch(ctx context.Context, git environ.Git, dir string) string {
	for _, branch := range []string{"main", "master"} {
		if hasBranch(ctx, git, dir, branch) {
			return branch
		}
	}
	return ""
}

// branchPrefix is what the names of a task's branches start with, by its own settings, else those of its repository; nil is none.
func branchPrefix(own, committed *task.Config) string {
	for _, c := range []*task.Config{own, committed} {
		if c != nil && c.Branch != nil {
			return *c.Branch
		}
	}
	return project.Defaults().Branch
}

// roomFor refuses a prefix of branches that has a branch as one of its folders: git can't make another branch in there.
func roomFor(ctx context.Context, git environ.Git, dir, prefix string) error {
	for folder := prefix; strings.Contains(folder, "/"); {
		folder = path.Dir(folder)
		if hasBranch(ctx, git, dir, folder) {
			return fault.New(fault.Input, "branch %q: refs/heads/%s of %s leaves no room for a branch of that start", prefix, folder, dir).
				WithHint("set `branch` in %s to another start of names, such as %q, or give it with -c branch=%[2]s, or rename that branch",
					project.FileName, "longshift-")
		}
	}
	return ctx.Err()
}
