package activities

import (
	"context"
	"path/filepath"

	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// layout says where a task's workspace lies on this host and what it was made from.
type layout struct {
	dir     string   // the work tree
	objects []string // folders of git objects that its .git borrows from
	key     string   // of the repository
	branch  string   // that the task starts from
	gits    []string // files in its submodules that name their git directories
	of      task.Repository

	target func(ctx context.Context, path string) (string, error) // see workspace.Base.Target
}

func layoutOf(ctx context.Context, tree *workspace.Tree) (layout, error) {
	objects, err := tree.Objects(ctx)
	if err != nil {
		return layout{}, err
	}
	of, key, err := tree.Repository(ctx)
	if err != nil {
		return layout{}, err
	}
	branch, _, err := tree.Start(ctx)
	if err != nil {
		return layout{}, err
	}
	subs, err := tree.Submodules(ctx)
	return layout{tree.Dir(), objects, key, branch, subs.GitFiles, of, tree.Base.Target}, err
}

// cleanHomeOf is the home folder of commands whose result is evidence: no session of the task has been there.
func cleanHomeOf(data, taskID string) string {
	return filepath.Join(taskDir(data, taskID), "home-clean")
}

func homeOf(data, taskID string) string { return filepath.Join(taskDir(data, taskID), "home") }
