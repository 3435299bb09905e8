package activities

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

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
		folder, err := tree.Base.HadFolder(ctx, path)
		if err != nil {
			return err
		}
		if folder {
			closed = append(closed, path+"/**")
			continue
		}
		data, found, err := tree.Base.File(ctx, path)
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

// closeTargets adds to what the settings close where the links of the base commit among it lead: who writes to a link changes its target.
func (p *Preparer) closeTargets(ctx context.Context, in PrepareInput, paths *task.PathSettings) error {
	lists := map[string]*[]string{"readOnly": &paths.ReadOnly, "taskWritable": &paths.TaskWritable, "ignore": &paths.Ignore,
		"hideFromPlanner": &paths.HideFromPlanner, "hideFromImplementer": &paths.HideFromImplementer, "hideFromReviewer": &paths.HideFromReviewer}
	maps.DeleteFunc(lists, func(_ string, list *[]string) bool { return len(*list) == 0 })
	if len(lists) == 0 {
		return nil
	}
	tree, err := p.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		more, err := targets(ctx, tree, *lists[key])
		if err != nil {
			return fmt.Errorf("paths.%s: %w", key, err)
		}
		*lists[key] = append(slices.Clip(*lists[key]), more...)
	}
	return nil
}

// targets returns, for the patterns that name a link of the base commit, those that name what it leads to.
func targets(ctx context.Context, tree *workspace.Tree, patterns []string) (more []string, err error) {
	for _, pattern := range patterns {
		path, ok := plainPath(pattern)
		if !ok {
			continue
		}
		target, err := tree.Base.Target(ctx, path)
		if err != nil {
			return nil, err
		}
		if target != filepath.Clean(path) {
			more = append(more, target+strings.TrimPrefix(pattern, path))
		}
	}
	return more, nil
}
