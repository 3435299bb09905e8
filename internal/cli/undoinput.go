package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// input finds out what an ended task may have left, in a fork if it worked in one. url is that of its pull request, "" for none.
func (o *undoOptions) input(
	ctx context.Context, c client.Client, fork bool, s *signals.Status,
) (in signals.UndoInput, url string, err error) {
	if s.TaskID == "" {
		return in, "", fault.New(fault.NotFound, "task %s ended without a status that names its branch", s.WorkflowID).
			WithHint("look for its refs with `git ls-remote`, and delete them with `git push --delete`")
	}
	in = signals.UndoInput{TaskID: s.TaskID, Repository: s.Repository, Fork: fork, Branch: s.Branch}
	if s.Head != "" && s.Head != s.BaseCommit {
		in.Heads = []string{s.Head}
	}
	if s.PullRequest == nil {
		return in, "", nil
	}
	in.PullRequest = s.PullRequest.Number
	head, err := o.followed(ctx, c, in)
	if head != "" && !slices.Contains(in.Heads, head) {
		in.Heads = append(in.Heads, head)
	}
	return in, s.PullRequest.URL, err
}

// free refuses to delete a branch that somebody has checked out in a repository on this machine: git would refuse it too, with half of the
// work done.
func (o *undoOptions) free(ctx context.Context, in signals.UndoInput) error {
	repo, err := task.ParseRepository(in.Repository)
	if err != nil || repo.Path == "" || in.Branch == "" {
		return err
	}
	at, err := o.git.Run(ctx, repo.Path, "rev-parse", "--verify", "refs/heads/"+in.Branch)
	if err != nil || !slices.Contains(in.Heads, at) { // gone, moved, or on another machine
		return ctx.Err()
	}
	list, err := o.git.Run(ctx, repo.Path, "worktree", "list", "--porcelain")
	if err != nil {
		return ctx.Err()
	}
	folder := ""
	for line := range strings.Lines(list) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok {
			folder = path
		} else if strings.TrimSpace(line) == "branch refs/heads/"+in.Branch {
			return fault.New(fault.Conflict, "%s has branch %s checked out", folder, in.Branch).
				WithHint("switch to another branch there, then undo again")
		}
	}
	return nil
}

// followed returns the commit that the follower of the pull request has pushed last, "" when nobody has followed it, and when others have pushed too:
// their commits may lie below ours.
func (o *undoOptions) followed(ctx context.Context, c client.Client, in signals.UndoInput) (head string, err error) {
	s, err := o.follower(ctx, c, in.Repository, in.PullRequest)
	if s == nil || s.Others {
		return "", err
	}
	return cmp.Or(s.Pushed, s.Head), nil // one that has ended long ago knows its head alone
}
