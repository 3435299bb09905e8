package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/fault"
)

// Prepare creates the task's workspace or finds it. It is idempotent. A workspace that was prepared for this attempt is left as it is,
// uncommitted work included. A workspace of an earlier attempt on this host is taken over, unless the checkpoint on the remote has moved
// on. If there is none, it is created from the checkpoint or from the base branch. The attempt is recorded here and on the remote before
// anything can be written under it.
func (m *Manager) Prepare(ctx context.Context, s Spec) (Workspace, error) {
	if err := s.check(); err != nil {
		return Workspace{}, err
	}
	release, err := m.locks.task(ctx, s.TaskID)
	if err != nil {
		return Workspace{}, err
	}
	defer release()
	p := m.place(s.TaskID)
	if err := p.raiseFence(s.TaskID, s.Fence); err != nil {
		return Workspace{}, err
	}
	o, err := m.find(ctx, s)
	if err != nil {
		return Workspace{}, err
	}
	if o != nil && o.state.Record.Fence == s.Fence && o.state.FenceRef != "" {
		return o.workspace(ctx, s.Reported)
	}
	job := &preparation{o: o, spec: s, remotes: m.remotes, mirrors: m.mirrors, log: m.log}
	if o == nil {
		err = job.build(ctx, m)
	} else {
		err = job.takeOver(ctx)
	}
	if err != nil {
		return Workspace{}, fmt.Errorf("prepare workspace: %w", err)
	}
	return job.o.workspace(ctx, s.Reported)
}

// find returns the existing workspace on this host, nil when there is none that can be used. An unusable one is renamed, never deleted. Its
// uncommitted work is lost to the task then, so what says nothing about the workspace is an error.
func (m *Manager) find(ctx context.Context, s Spec) (*opened, error) {
	p := m.place(s.TaskID)
	st, err := p.readState()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		st, err = m.guessState(ctx, p, s)
	case fault.KindOf(err) == fault.NotFound:
		m.log.WarnContext(ctx, "workspace state is damaged", "task", s.TaskID, "error", err)
		st, err = m.guessState(ctx, p, s)
	}
	if err != nil {
		return nil, err
	}
	if st.TaskID != "" {
		o := m.open(s.TaskID, s.Fence, p, st)
		for _, pattern := range []string{"snapshot-*", "adopt-*", "lfs/tmp/*"} { // left by a killed worker
			left, _ := filepath.Glob(filepath.Join(p.git(), pattern))
			for _, path := range left {
				os.Remove(path)
			}
		}
		why := o.unsound(ctx)
		if why == nil {
			why = o.recover(ctx)
		}
		if why == nil {
			return o, nil
		}
		if ctx.Err() != nil || momentary(why) {
			return nil, why
		}
		m.log.WarnContext(ctx, "workspace can't be used and is put aside", "task", s.TaskID, "error", why)
	}
	return nil, p.clear()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (o *opened) workspace(ctx context.Context, reported []string) (Workspace, error) {
	head, err := o.branch.head(ctx)
	if err != nil {
		return Workspace{}, err
	}
	holds, err := o.holds(ctx, head, reported)
	if err != nil {
		return Workspace{}, err
	}
	if err := o.agent.mend(ctx, head); err != nil {
		return Workspace{}, err
	}
	if err := o.submodules.fill(ctx, true); err != nil {
		return Workspace{}, err
	}
	taken, err := o.taken(ctx)
	if err != nil {
		return Workspace{}, err
	}
	rec := o.state.Record
	ws := Workspace{Dir: o.place.work(), BaseBranch: rec.BaseBranch, BaseCommit: rec.Base, Head: head, Branch: rec.Branch,
		Rival: o.state.Rival, Restored: o.state.Restored, Behind: !holds, Empty: o.state.empty(), Unfilled: o.state.Unfilled,
		Snapshot: taken.Commit != ""}
	if o.state.Merging != nil {
		ws.Merging = o.state.Merging.Base
	}
	return ws, nil
}
