package activities

import (
	"context"
	"path/filepath"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workspace"
)

// layout is where a task lives on this host.
type layout struct {
	dir     string   // the work tree
	objects []string // git objects that its own .git borrows
	key     string   // of the repository
	branch  string   // that the task starts from
	gits    []string // files in its submodules that lead to their git
	of      task.Repository
}

func layoutOf(ctx context.Context, tree *workspace.Tree) (layout, error) {
	objects, err := tree.Objects(ctx)
	if err != nil {
		return layout{}, err
	}
	of, err := tree.Repository(ctx)
	if err != nil {
		return layout{}, err
	}
	key, err := tree.Key(ctx)
	if err != nil {
		return layout{}, err
	}
	branch, _, err := tree.Start(ctx)
	if err != nil {
		return layout{}, err
	}
	subs, err := tree.Submodules(ctx)
	return layout{tree.Dir(), objects, key, branch, subs.GitFiles, of}, err
}

func homeOf(data, taskID string) string { return filepath.Join(taskDir(data, taskID), "home") }
