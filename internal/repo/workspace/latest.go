package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/longshift/longshift/internal/fault"
)

// Latest tells whether this host has the workspace of a task's latest attempt. It has not when the workspace was removed, nor when a later
// attempt has written the fence on the remote: what hosts share of the task is that one's then.
func (m *Manager) Latest(ctx context.Context, taskID string) (bool, error) {
	if err := checkTaskID(taskID); err != nil {
		return false, err
	}
	release, err := m.locks.task(ctx, taskID)
	if err != nil {
		return false, err
	}
	defer release()
	st, err := m.place(taskID).readState()
	if errors.Is(err, fs.ErrNotExist) || fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	later := false
	if err == nil {
		later, err = m.lastRefs(taskID, st).outdated(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("look whether a later attempt has the task: %w", err)
	}
	return !later, nil
}

// lastRefs are the refs of the task as the attempt that this host had last knows them.
func (m *Manager) lastRefs(taskID string, st state) *taskRefs {
	p := m.place(taskID)
	o := m.open(taskID, st.Record.Fence, p, st)
	if _, err := os.Stat(p.git()); err != nil { // any repository will do for what is on the remote
		return o.refs.through(o.mirror)
	}
	return o.refs
}

// outdated tells whether a later attempt has the task.
func (t *taskRefs) outdated(ctx context.Context) (bool, error) {
	rem, err := t.remotes.find(ctx, t.state.home())
	if err != nil {
		return false, err
	}
	l, err := rem.list(ctx, fenceRef(t.id), checkpointRef(t.id))
	if fault.KindOf(err) == fault.NotFound {
		return false, nil // the repository is gone: no attempt can write to it
	} else if err != nil {
		return false, err
	}
	later, err := t.later(ctx, rem, l)
	return later > 0, err
}

// later returns the later attempt that has written the fence on the remote, 0 when there is none.
func (t *taskRefs) later(ctx context.Context, rem remote, l listing) (int, error) {
	fence := l.refs[fenceRef(t.id)]
	if fence == "" || fence == t.state.FenceRef {
		return 0, nil
	}
	rec, err := t.fetchFence(ctx, rem, l)
	if err != nil || rec.Fence <= t.fence {
		return 0, err
	}
	return rec.Fence, nil
}
