package activities

import (
	"context"
	"fmt"
	"strconv"
)

// MergeInput asks for a merge of the base branch into the task's branch.
type MergeInput struct {
	Ref
	Round int `json:"round"` // makes the commit's key
}

type Merged struct {
	Base      string   `json:"base"`                // commit that was merged
	Commit    string   `json:"commit,omitempty"`    // the merge commit; empty when there are conflicts
	Conflicts []string `json:"conflicts,omitempty"` // files with conflict markers, for a session to resolve
}

// MergeBase merges the base branch. Conflicts stay in the workspace, and the next commit becomes the merge commit.
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
