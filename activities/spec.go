package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// protectSpec closes the files of the specification to the task. A new task whose base commit lacks one of them is refused.
func (p *Preparer) protectSpec(ctx context.Context, in PrepareInput, ws workspace.Workspace, paths *task.PathSettings) error {
	if len(in.Spec) == 0 {
		return nil
	}
	tree, err := p.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	closed := slices.Clone(paths.ReadOnly)
	for _, path := range in.Spec {
		folder, err := tree.HadFolder(ctx, path)
		if err != nil {
			return err
		}
		if folder {
			closed = append(closed, path+"/**")
			continue
		}
		data, found, err := tree.File(ctx, path)
		switch {
		case err != nil:
			return fmt.Errorf("read the specification: %w", err)
		case found && len(data) == 0 && in.Branch == "":
			return fault.New(fault.Input, "spec: %s is empty in %s at %.10s", visible(path), ws.BaseBranch, ws.BaseCommit).
				WithHint("write down what is wanted, and commit it")
		case !found && in.Branch == "":
			return fault.New(fault.NotFound, "spec: there is no %s in %s at %.10s", visible(path), ws.BaseBranch, ws.BaseCommit).
				WithHint("commit it there, or name another file or folder with --spec")
		}
		closed = append(closed, path)
	}
	paths.ReadOnly = closed
	return nil
}
