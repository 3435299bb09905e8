package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// Unsaved says what would be lost if the workspace were removed, "" for nothing. alone reports that its commits exist elsewhere only in
// the checkpoint on the remote, which must therefore stay.
func (m *Manager) Unsaved(ctx context.Context, taskID string) (why string, alone bool, err error) {
	if err := checkTaskID(taskID); err != nil {
		return "", false, err
	}
	p := m.place(taskID)
	st, err := p.readState()
	switch {
	case errors.Is(err, fs.ErrNotExist) && !exists(p.ready()): // it was never completed, so it holds no work
		return "", false, nil
	case err != nil:
		return "its state can't be read", false, nil
	}
	o := m.open(taskID, st.Record.Fence, p, st)
	removing := !exists(p.work()) && !exists(p.git()) // an interrupted removal: only alone is left to find out
	head := st.Record.Checkpoint
	if !removing {
		if head, err = o.branch.head(ctx); err != nil {
			return "", false, fmt.Errorf("look for work that was not pushed: %w", err)
		}
	}
	rem, err := m.remotes.find(ctx, st.home())
	if err != nil {
		return "", false, err
	}
	l, err := rem.list(ctx, fenceRef(taskID), checkpointRef(taskID), st.branchRef())
	if err != nil {
		return "", false, err
	}
	rec, fence := st.Record, l.refs[fenceRef(taskID)]
	ours := fence == st.FenceRef
	if !ours && !removing {
		if ours, err = o.refs.made(ctx, fence); err != nil {
			return "", false, err
		}
	}
	if ours && exists(p.work()) { // otherwise another attempt has started from this one's last checkpoint and has redone what that lacks
		if why, err := o.uncommitted(ctx, head); err != nil || why != "" {
			return why, false, err
		}
	}
	switch head {
	case "", rec.Base, rec.Pushed, l.refs[st.branchRef()]:
		return "", false, nil
	case rec.Checkpoint:
		if there := l.refs[checkpointRef(taskID)] == head; there || !ours {
			return "", there, nil
		}
	}
	if !removing { // a worker that was killed while it pushed has not recorded that it did, so the fence there may be its own
		for _, ref := range []string{st.branchRef(), checkpointRef(taskID)} {
			held, err := o.refs.contains(ctx, rem, ref, l.refs[ref], head)
			if err == nil && held && exists(p.work()) {
				why, err = o.uncommitted(ctx, head)
			}
			if err != nil || held {
				return why, ref == checkpointRef(taskID), err
			}
		}
	}
	return "commits that were not pushed", false, nil
}

// made reports whether a fence on the remote is this host's own, whose push a worker that was killed has not recorded: then it is in the git
// folder here, and no later attempt's.
func (t *taskRefs) made(ctx context.Context, fence string) (bool, error) {
	if fence == "" {
		return false, nil
	}
	if here, err := t.bare.has(ctx, fence); err != nil || !here {
		return false, err
	}
	rec, err := t.readFenceCommit(ctx, fence)
	if err != nil && fault.KindOf(err) != fault.Changed {
		return false, err
	}
	last, broken := t.place.readFence()
	return err == nil && broken == nil && rec.Fence <= last, nil
}

// contains reports whether a ref of the remote, which is at tip there, contains the commit. A tip of "" contains none.
func (t *taskRefs) contains(ctx context.Context, rem remote, ref, tip, commit string) (bool, error) {
	if tip == "" || tip == commit {
		return tip != "", nil
	}
	if err := t.fetch(ctx, rem, ref, tip); err != nil {
		return false, err
	}
	return t.bare.isAncestor(ctx, commit, tip)
}

// uncommitted describes the uncommitted changes in the work tree.
func (o *opened) uncommitted(ctx context.Context, head string) (string, error) {
	if theirs := o.agent.head(); theirs != "" && theirs != head {
		return "commits of an agent that were not taken over", nil
	}
	c, err := o.work.changes(ctx, nil)
	if errors.Is(err, git.ErrTooMuch) {
		return "more changes than can be listed", nil
	}
	if err != nil || !c.staged && len(c.paths)+len(c.removed)+len(c.embedded) == 0 {
		return "", err
	}
	return "changes that were not committed", nil
}
