package activities

import (
	"context"
	"errors"
	"math"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/remove"
	"github.com/longshift/longshift/internal/sweep"
)

// CleanInput asks for the end of a workspace.
type CleanInput struct{ Ref }

// CleanUp removes the workspace, the branch in the mirror, the checkpoint, the task's caches and the home folder of its
// commands; its folder too, when nothing is left in it. What is gone already is fine.
func (h *Host) CleanUp(ctx context.Context, in CleanInput) error {
	h.forget(in.TaskID)
	if err := h.endSessions(ctx, in.TaskID, math.MaxInt); err != nil {
		return err
	}
	if err := h.Workspaces.Remove(ctx, in.TaskID, false); err != nil && !isOneOf(err, fault.NotFound) {
		return err
	}
	err := errors.Join(remove.All(homeOf(h.Data, in.TaskID)), h.Caches.Remove(cachesOf(h.Data, in.TaskID)))
	if err == nil {
		err = sweep.Leave(taskDir(h.Data, in.TaskID))
	}
	if err != nil {
		return fault.New(fault.Infra, "remove the task's home folder and caches: %w", err)
	}
	return nil
}
