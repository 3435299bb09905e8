package activities

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/task"
)

// PushInput asks for the task's branch on the remote.
type PushInput struct {
	Ref
	Squash  string `json:"squash,omitempty"` // message of the single commit the branch becomes; empty keeps the commits
	BaseRef string `json:"baseRef,omitempty"`

	Reviewed string   `json:"reviewed,omitempty"` // head that was reviewed: a branch without it is not pushed
	Allowed  []string `json:"allowed,omitempty"`  // ids of findings that a person has allowed to be pushed

	Paths   task.PathSettings `json:"paths,omitzero"`    // the task's settings for paths
	Planned []string          `json:"planned,omitempty"` // files that the approved plan opens
}

// PushBranch pushes the task's branch and returns its head. It fails with fault.Leak when a commit holds a secret, and with
// fault.Unapproved when a person has to allow a change first.
func (g *Git) PushBranch(ctx context.Context, in PushInput) (string, error) {
	tree, err := g.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return "", err
	}
	defer tree.Close()
	if err := tree.Holds(ctx, in.Reviewed); err != nil {
		return "", fmt.Errorf("push the branch: %w", err)
	}
	if in.Squash != "" {
		if _, err := tree.Squash(ctx, in.BaseRef, in.Squash); err != nil {
			return "", fmt.Errorf("make one commit: %w", err)
		}
	}
	if err := g.inspector.leaks(ctx, tree); err != nil {
		return "", err
	}
	if err := g.inspector.mayPush(ctx, tree, pathScope{PathSettings: in.Paths, planned: in.Planned}, in.Allowed); err != nil {
		return "", err
	}
	if in.Squash != "" {
		if err := tree.Checkpoint(ctx); err != nil {
			return "", fmt.Errorf("push the checkpoint: %w", err)
		}
	}
	head, err := tree.Push(ctx)
	if err != nil {
		return "", fmt.Errorf("push the branch: %w", err)
	}
	return head, nil
}
