package activities

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/fault"
)

// CleanInput asks for the end of a workspace.
type CleanInput struct{ Ref }

// CleanUp removes the workspace, the branch in the mirror, the checkpoint and the home folder of the task's commands. What is
// gone already is fine.
func (h *Host) CleanUp(ctx context.Context, in CleanInput) error {
	h.forget(in.TaskID)
	if err := h.Workspaces.Remove(ctx, in.TaskID, false); err != nil && !isOneOf(err, fault.NotFound) {
		return err
	}
	if err := removeAll(homeOf(h.Data, in.TaskID)); err != nil {
		return fault.New(fault.Infra, "remove the task's home folder: %w", err)
	}
	return nil
}

// removeAll also removes what a command has left in folders that it had closed, as module caches are.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // if this fails, so does what follows
		}
		return nil
	})
	return os.RemoveAll(dir)
}
