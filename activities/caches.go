package activities

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/toolcache"
)

// cachesOf returns the folder of a task's own caches of tool chains.
func cachesOf(data, taskID string) string { return filepath.Join(taskDir(data, taskID), toolcache.Own) }

// leaveCaches keeps what setup and check have put into the task's caches for tasks that start from the same branch. It does so only when
// no agent can have changed it: at the commit that the task starts from, before its first session, here or on a host whose uncommitted work
// the workspace has. A failure only makes those tasks slower.
func (c *Commands) leaveCaches(ctx context.Context, ref Ref, whole bool) {
	if err := c.tryLeaveCaches(ctx, ref, whole); err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "The caches of the base are not kept for other tasks", "task", ref.TaskID, "error", err)
	}
}

func (c *Commands) tryLeaveCaches(ctx context.Context, ref Ref, whole bool) error {
	tree, err := c.workspaces.Open(ctx, ref.TaskID, ref.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	where, err := layoutOf(ctx, tree)
	if err != nil {
		return err
	}
	return c.caches.Keep(ctx, cachesOf(c.data, ref.TaskID), where.key, where.branch, whole, func() (bool, error) {
		_, there, err := tree.Start(ctx)
		if err != nil || !there {
			return false, err
		}
		snapshot, err := tree.Snapshot(ctx)
		if err != nil || snapshot.Commit != "" {
			return false, err
		}
		begun, err := sessionBegun(c.data, ref.TaskID)
		return !begun, err
	})
}

// sessionBegun tells whether any session of this task has begun. A session that has begun has a file in its folder; one whose agent was
// only prestarted has an empty folder.
func sessionBegun(data, taskID string) (bool, error) {
	sessions := transcript.SessionsIn(taskDir(data, taskID))
	list, err := os.ReadDir(sessions)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for i := 0; err == nil && i < len(list); i++ {
		var files []os.DirEntry
		files, err = os.ReadDir(filepath.Join(sessions, list[i].Name()))
		if slices.ContainsFunc(files, func(f os.DirEntry) bool { return !f.IsDir() }) {
			return true, nil
		}
	}
	if err != nil {
		return true, fault.New(fault.Infra, "look for sessions: %w", err)
	}
	return false, nil
}
