package activities

import (
	"context"
	"fmt"
	"strconv"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
)

// PollInput asks what has become of a pull request.
type PollInput struct {
	Repository task.Repository `json:"repository"`
	Number     int             `json:"number"`
	Stamp      string          `json:"stamp,omitempty"` // of the last look; empty reads everything
}

// PollPullRequest reads a pull request of ours, with what people and checks say about it.
func (c *Control) PollPullRequest(ctx context.Context, in PollInput) (forge.Snapshot, error) {
	f, err := c.follower(ctx, in.Repository)
	if err != nil {
		return forge.Snapshot{}, err
	}
	l, err := f.Snapshot(ctx, in.Repository, in.Number, in.Stamp)
	if err != nil {
		return forge.Snapshot{}, fmt.Errorf("look at pull request #%d: %w", in.Number, err)
	}
	for i := range l.Items { // logs of checks may show what a build has printed, and addresses what a service has put there
		one := &l.Items[i]
		for _, text := range []*string{&one.Text, &one.Log, &one.Hunk, &one.Path, &one.URL} {
			*text = c.Redact.String(*text)
		}
	}
	return l, nil
}

// AnswerInput says what was done about each item.
type AnswerInput struct {
	Repository task.Repository `json:"repository"`
	Number     int             `json:"number"`
	Replies    []forge.Reply   `json:"replies,omitempty"`
}

// AnswerPullRequest answers where people have spoken, and asks for another review.
func (c *Control) AnswerPullRequest(ctx context.Context, in AnswerInput) error {
	f, err := c.follower(ctx, in.Repository)
	if err != nil {
		return err
	}
	for i := range in.Replies {
		in.Replies[i].Text = c.Redact.String(in.Replies[i].Text)
	}
	if err := f.Answer(ctx, in.Repository, in.Number, in.Replies); err != nil {
		return fmt.Errorf("answer at pull request #%d: %w", in.Number, err)
	}
	return nil
}

func (c *Control) follower(ctx context.Context, r task.Repository) (forge.Follower, error) {
	f, err := c.Forge(ctx, r)
	if err != nil {
		return nil, err
	}
	if follower, ok := f.(forge.Follower); ok {
		return follower, nil
	}
	return nil, fault.New(fault.Input, "pull requests of %s can't be looked after", r.Text)
}

// MergeInput asks for the base branch to be brought into the task's branch.
type MergeInput struct {
	Ref
	Round int `json:"round"` // the commit's key, beside those of sessions
}

// Merged is what came of it.
type Merged struct {
	Base      string   `json:"base"`                // commit that was brought in
	Commit    string   `json:"commit,omitempty"`    // the merge, when it went through by itself
	Conflicts []string `json:"conflicts,omitempty"` // files that hold both sides, for a session to resolve
}

// MergeBase merges the base branch. What conflicts stays in the workspace: the next commit is the merge.
func (h *Host) MergeBase(ctx context.Context, in MergeInput) (Merged, error) {
	tree, err := h.Workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return Merged{}, err
	}
	defer tree.Close()
	m, err := tree.MergeBase(ctx, "merge-"+strconv.Itoa(in.Round))
	if err != nil {
		return Merged{}, fmt.Errorf("merge the base branch: %w", err)
	}
	if m.Commit != "" {
		if err := tree.Checkpoint(ctx); err != nil {
			return Merged{}, fmt.Errorf("push the checkpoint: %w", err)
		}
	}
	return Merged{Base: m.Base, Commit: m.Commit, Conflicts: m.Conflicts}, nil
}

// AbortMerge gives up a merge that waits for its commit.
func (h *Host) AbortMerge(ctx context.Context, in MergeInput) error {
	tree, err := h.Workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := tree.AbortMerge(ctx); err != nil {
		return fmt.Errorf("give the merge up: %w", err)
	}
	return nil
}
