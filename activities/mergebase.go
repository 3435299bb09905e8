package activities

import (
	"context"
	"fmt"
	"strconv"
)

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
func (g *Git) MergeBase(ctx context.Context, in MergeInput) (Merged, error) {
	tree, err := g.workspaces.Open(ctx, in.TaskID, in.Fence)
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
func (g *Git) AbortMerge(ctx context.Context, in MergeInput) error {
	tree, err := g.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := tree.AbortMerge(ctx); err != nil {
		return fmt.Errorf("give the merge up: %w", err)
	}
	return nil
}
