package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
)

// Prepare makes the task's workspace, or finds it. Called again it gives the same answer. A workspace that stands and was
// prepared for this attempt is left as it is, uncommitted work included. One of an earlier attempt on this host is taken
// over, unless the checkpoint on the remote has gone on without it. Where there is none it is made from the checkpoint,
// or from the base branch. The attempt is recorded here and on the remote before anything can be written under it.
func (m *Manager) Prepare(ctx context.Context, s Spec) (Workspace, error) {
	if err := s.check(); err != nil {
		return Workspace{}, err
	}
	release, err := m.lockTask(ctx, s.TaskID)
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
	job := &preparation{spec: s, opened: o}
	if o == nil {
		err = job.build(ctx, m)
	} else {
		err = job.takeOver(ctx)
	}
	if err != nil {
		return Workspace{}, fmt.Errorf("prepare workspace: %w", err)
	}
	return job.opened.workspace(ctx, s.Reported)
}

// find gives the workspace that stands on this host, nil when there is none that can be used. What can't be used is put
// aside, never deleted.
func (m *Manager) find(ctx context.Context, s Spec) (*opened, error) {
	t := m.tree(s.TaskID, s.Fence)
	st, err := t.place.readState()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		st, err = t.guessState(ctx, s)
	case fault.KindOf(err) == fault.NotFound:
		m.log.WarnContext(ctx, "workspace state is damaged", "task", s.TaskID, "error", err)
		st, err = t.guessState(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	if st.TaskID != "" {
		o := t.opened(st)
		for _, pattern := range []string{"snapshot-*", "adopt-*", "lfs/tmp/*"} { // what a killed worker has left
			left, _ := filepath.Glob(filepath.Join(t.place.git(), pattern))
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
		if ctx.Err() != nil {
			return nil, why
		}
		m.log.WarnContext(ctx, "workspace can't be used and is put aside", "task", s.TaskID, "error", why)
	}
	return nil, t.place.clear()
}

// ready marks a git folder whose work tree was checked out in full.
func (p place) ready() string { return filepath.Join(p.git(), "ready") }

// guessState makes the state anew from a git folder that was complete. The rest is learned from the remote.
func (t *Tree) guessState(ctx context.Context, s Spec) (state, error) {
	mirror, err := os.ReadFile(t.place.ready())
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	} else if err != nil {
		return state{}, fmt.Errorf("read git folder: %w", err)
	}
	st := state{TaskID: s.TaskID, Repository: s.Repository, Fork: s.Fork, Format: "sha1", Mirror: strings.TrimSpace(string(mirror))}
	if config, err := os.ReadFile(filepath.Join(t.place.git(), "config")); err == nil && strings.Contains(string(config), "sha256") {
		st.Format = "sha256"
	}
	base, err := repo{m: t.m, dir: t.place.git()}.ref(ctx, "refs/longshift/base")
	st.Record = record{BaseBranch: s.Base, Base: base, Branch: s.Branch}
	return st, err
}

// unsound says why a workspace can't be used.
func (o *opened) unsound(ctx context.Context) error {
	if info, err := os.Lstat(o.place.work()); err != nil || !info.IsDir() {
		return errors.New("the work tree is missing")
	}
	if _, err := os.Stat(o.place.ready()); err != nil {
		return errors.New("the git folder is not complete")
	}
	if err := o.enforce(ctx); err != nil {
		return err
	}
	head, err := o.head(ctx)
	if err != nil || head == "" && o.state.empty() {
		return err
	}
	if head == "" {
		return errors.New("the branch is missing")
	}
	_, err = o.bare().run(ctx, "rev-list", "--objects", "--max-count=1", "--quiet", head)
	return err
}

// clear makes room for a new workspace. What is there is put aside.
func (p place) clear() error {
	aside := ""
	for n := 1; aside == ""; n++ {
		if dir := fmt.Sprintf("%s-%d", filepath.Join(p.dir, "damaged"), n); !exists(dir) {
			aside = dir
		}
	}
	for _, path := range []string{p.git(), p.work(), p.state()} {
		if !exists(path) {
			continue
		}
		if path == p.git() && !exists(p.ready()) { // never finished, so nobody has worked in it
			if err := errors.Join(os.RemoveAll(p.git()), os.RemoveAll(p.work())); err != nil {
				return fmt.Errorf("remove a half-made workspace: %w", err)
			}
			continue
		}
		if err := os.MkdirAll(aside, 0o700); err != nil {
			return disk.Fault(fmt.Errorf("put a damaged workspace aside: %w", err), p.dir)
		}
		if err := os.Rename(path, filepath.Join(aside, filepath.Base(path))); err != nil {
			return fmt.Errorf("put a damaged workspace aside: %w", err)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (o *opened) workspace(ctx context.Context, reported []string) (Workspace, error) {
	head, err := o.head(ctx)
	if err != nil {
		return Workspace{}, err
	}
	holds, err := o.holds(ctx, head, reported)
	if err != nil {
		return Workspace{}, err
	}
	if err := o.mendAgentGit(ctx, head); err != nil {
		return Workspace{}, err
	}
	if err := o.fillSubmodules(ctx, true); err != nil {
		return Workspace{}, err
	}
	rec := o.state.Record
	ws := Workspace{Dir: o.place.work(), BaseBranch: rec.BaseBranch, BaseCommit: rec.Base, Head: head, Branch: rec.Branch,
		Restored: o.state.Restored, Behind: !holds, Empty: o.state.empty(), Unfilled: o.state.Unfilled}
	if o.state.Merging != nil {
		ws.Merging = o.state.Merging.Base
	}
	return ws, nil
}
