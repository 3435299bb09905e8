package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/lfs"
	"github.com/longshift/longshift/internal/task"
)

// Tree is a workspace opened for one attempt of its task. Each operation looks at the fence again, so a Tree that was
// opened long ago can't write over a later attempt. It may be used by several goroutines.
type Tree struct {
	m      *Manager
	id     string
	place  place
	fence  int
	closed atomic.Bool
}

// Open opens a workspace that was prepared with this fence. It fails with fault.Fenced when a later attempt has it, and
// with fault.NotFound when it is gone or was not prepared for this attempt.
func (m *Manager) Open(ctx context.Context, taskID string, fence int) (*Tree, error) {
	if err := checkTaskID(taskID); err != nil {
		return nil, err
	}
	t := m.tree(taskID, fence)
	half := false
	err := t.reading(ctx, func(o *opened) error {
		half = o.state.Step != nil
		return nil
	})
	if err == nil && half { // those that only look would see it
		err = t.locked(ctx, func(*opened) error { return nil })
	}
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	return t, nil
}

func (m *Manager) tree(id string, fence int) *Tree {
	return &Tree{m: m, id: id, place: m.place(id), fence: fence}
}

// Close ends the use of the Tree. The workspace stays.
func (t *Tree) Close() error {
	t.closed.Store(true)
	return nil
}

// Dir is the work tree, absolute.
func (t *Tree) Dir() string { return t.place.work() }

// Objects lists the folders outside the work tree that a git in it must be able to read. None of them may be writable
// for an agent.
func (t *Tree) Objects(ctx context.Context) ([]string, error) {
	var out []string
	err := t.reading(ctx, func(o *opened) error {
		out = o.borrowed()
		for _, store := range []lfs.Store{o.ownLFS(), o.sharedLFS()} {
			if err := os.MkdirAll(string(store), 0o700); err != nil {
				return err
			}
			out = append(out, string(store))
		}
		for _, s := range o.state.Submodules.full() {
			if objects := filepath.Join(o.m.mirror(s.Mirror).dir, "objects"); !slices.Contains(out, objects) {
				out = append(out, objects)
			}
		}
		return nil
	})
	return out, err
}

// Key names the repository on this host: the same for all of its tasks, and fit for a folder's name.
func (t *Tree) Key(ctx context.Context) (key string, err error) {
	err = t.reading(ctx, func(o *opened) error {
		key = o.state.Mirror
		return nil
	})
	return key, err
}

// Repository is the one that the workspace was made of.
func (t *Tree) Repository(ctx context.Context) (r task.Repository, err error) {
	err = t.reading(ctx, func(o *opened) error {
		r = o.state.Repository
		return nil
	})
	return r, err
}

// locked runs an operation that writes: here, or on the remote. There is one at a time.
func (t *Tree) locked(ctx context.Context, do func(*opened) error) error {
	release, err := t.m.lockTask(ctx, t.id)
	if err != nil {
		return err
	}
	defer release()
	return t.reading(ctx, func(o *opened) error {
		if err := o.finish(ctx); err != nil {
			return err
		}
		return do(o)
	})
}

// reading runs an operation that only looks. It waits for nobody: a push takes as long as the remote likes.
func (t *Tree) reading(ctx context.Context, do func(*opened) error) error {
	if t.closed.Load() {
		return errors.New("the workspace was closed")
	}
	if err := t.checkFence(); err != nil {
		return err
	}
	st, err := t.place.readState()
	if errors.Is(err, fs.ErrNotExist) {
		return t.gone("it has no state")
	} else if err != nil {
		return err
	}
	if st.Record.Fence != t.fence {
		return t.gone("its preparation was not finished")
	}
	o := t.opened(st)
	if info, err := os.Lstat(t.place.work()); err != nil || !info.IsDir() {
		return t.gone("its work tree is missing")
	}
	if _, err := os.Stat(t.place.git()); err != nil {
		return t.gone("its git folder is missing")
	}
	if err := o.enforce(ctx); err != nil {
		return err
	}
	return do(o)
}

func (t *Tree) gone(why string) error {
	return fault.New(fault.NotFound, "the workspace of task %s is not on this host: %s", t.id, why).
		WithHint("prepare it again")
}

func (t *Tree) checkFence() error {
	now, err := t.place.readFence()
	switch {
	case err != nil:
		return err
	case now > t.fence:
		return fenced(t.id, t.fence, now)
	case now == 0:
		return t.gone("it has no fence")
	case now < t.fence:
		return t.gone(fmt.Sprintf("it was prepared for attempt %d, not %d", now, t.fence))
	}
	return nil
}
