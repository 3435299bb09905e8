package activities

import (
	"context"
	"errors"
	"math"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/remove"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/internal/sweep"
)

// Cleaner removes the workspaces of tasks, and what else a host keeps for them.
type Cleaner struct {
	data       string
	workspaces *workspace.Manager
	caches     *toolcache.Store
	running    *runningSessions
	prestarter *prestarter
	systems    *systemTexts
	objects    Objects // nil without an object store
}

type CleanInput struct{ Ref }

// CleanUp removes the conversations in the object store, the workspace, the branch in the mirror, the checkpoint, the task's caches and the
// home folders of its commands, and the task's folder when it is empty then. It is no error when some of these are gone already.
func (c *Cleaner) CleanUp(ctx context.Context, in CleanInput) error {
	c.forget(in.TaskID)
	if err := c.running.end(ctx, in.TaskID, math.MaxInt); err != nil {
		return err
	}
	if c.objects != nil { // first: without its workspace, the task is taken for one whose conversations are gone
		if err := c.objects.Remove(ctx, ObjectsOf(in.TaskID)); err != nil {
			return err
		}
	}
	if err := c.workspaces.Remove(ctx, in.TaskID, false); err != nil && !isOneOf(err, fault.NotFound) {
		return err
	}
	err := errors.Join(remove.All(homeOf(c.data, in.TaskID)), remove.All(cleanHomeOf(c.data, in.TaskID)),
		c.caches.Remove(cachesOf(c.data, in.TaskID)))
	if err == nil {
		err = sweep.Leave(ctx, taskDir(c.data, in.TaskID))
	}
	if err != nil {
		return fault.New(fault.Infra, "remove the task's home folders and caches: %w", err)
	}
	return nil
}

// forget drops what is in memory for a task, and ends its prestarted agents.
func (c *Cleaner) forget(taskID string) {
	c.systems.forget(taskID)
	c.prestarter.forget(taskID)
}
