package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/fault"
)

// goneSuffix marks a directory that is being removed.
const goneSuffix = ".gone"

// Remove removes a task's workspace and, unless keepRemote is set, its checkpoint and fence on the remote. Refs that a later attempt has
// written are left alone. Files of other packages in the task's directory stay, and so does the task's branch on the remote. Remove is
// idempotent.
func (m *Manager) Remove(ctx context.Context, taskID string, keepRemote bool) error {
	if err := checkTaskID(taskID); err != nil {
		return err
	}
	release, err := m.locks.task(ctx, taskID)
	if err != nil {
		return err
	}
	defer release()
	p := m.place(taskID)
	st, err := p.readState()
	if err != nil && !errors.Is(err, fs.ErrNotExist) && fault.KindOf(err) != fault.NotFound {
		return fmt.Errorf("remove workspace: %w", err)
	}
	if err == nil {
		if !keepRemote {
			if err := m.lastRefs(taskID, st).remove(ctx); err != nil {
				return fmt.Errorf("remove the checkpoint: %w", err)
			}
		}
		if err := m.mirrors.pin(ctx, st.Mirror, taskID, ""); err != nil {
			return fmt.Errorf("remove workspace: %w", err)
		}
	}
	if err := p.remove(m.discard); err != nil {
		return fmt.Errorf("remove workspace: %w", err)
	}
	os.Remove(filepath.Join(m.locks.dir, "task-"+taskID+".lock"))
	return nil
}

// through returns the same refs, accessed through another repository.
func (t *taskRefs) through(r repo) *taskRefs {
	other := *t
	other.bare = r
	return &other
}

// remove removes the task's refs from the remote if the fence is still the one we know.
func (t *taskRefs) remove(ctx context.Context) error {
	rem, err := t.remotes.find(ctx, t.state.home())
	if err != nil {
		return err
	}
	if rec := t.state.Record; rec.Checkpoint != "" && t.state.FenceRef != "" { // they are there, unless somebody has moved them
		err := t.push(ctx, rem, []update{{ref: checkpointRef(t.id), from: rec.Checkpoint}, {ref: fenceRef(t.id), from: t.state.FenceRef}})
		if !errors.Is(err, errMoved) && fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	var moved error
	for range tries {
		l, err := rem.list(ctx, fenceRef(t.id), checkpointRef(t.id))
		if fault.KindOf(err) == fault.NotFound {
			return nil // the repository is gone, and its refs with it
		} else if err != nil {
			return err
		}
		later, err := t.later(ctx, rem, l)
		if err != nil {
			return err
		}
		if later > 0 {
			t.log.WarnContext(ctx, "a later attempt has the task; its refs stay", "task", t.id, "attempt", later)
			return nil
		}
		var list []update
		for _, ref := range []string{checkpointRef(t.id), fenceRef(t.id)} {
			if l.refs[ref] != "" {
				list = append(list, update{ref: ref, from: l.refs[ref]})
			}
		}
		if len(list) == 0 {
			return nil
		}
		if moved = t.push(ctx, rem, list); !errors.Is(moved, errMoved) {
			return moved
		}
	}
	return rem.restless(moved)
}

// remove deletes our files in the task's directory. The state goes last, so that an interrupted removal can be recognized. Work tree and
// git directory are renamed first, because a half-removed one would look as if somebody had deleted files.
func (p place) remove(discard func(string) error) error {
	for _, path := range []string{p.work(), p.git()} {
		err := discard(path + goneSuffix)
		if err == nil && exists(path) {
			err = os.Rename(path, path+goneSuffix)
		}
		if err != nil {
			return err
		}
	}
	old, _ := filepath.Glob(filepath.Join(p.dir, "damaged-*"))
	aside, _ := filepath.Glob(filepath.Join(p.dir, "*.damaged*"))
	gone, _ := filepath.Glob(filepath.Join(p.dir, "*"+goneSuffix))
	for _, path := range slices.Concat(gone, old, aside, []string{p.state(), p.fence()}) {
		if err := discard(path); err != nil {
			return err
		}
	}
	if err := os.Remove(p.dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !isNotEmpty(p.dir) {
		return err
	}
	return nil
}

func isNotEmpty(dir string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && len(list) > 0
}

// List returns the sorted ids of the tasks that have a workspace, or the remains of one, on this host.
func (m *Manager) List(context.Context) ([]string, error) {
	dirs, err := os.ReadDir(m.tasks())
	if err != nil {
		return nil, fmt.Errorf("list workspaces: %w", err)
	}
	var out []string
	for _, d := range dirs {
		p := m.place(d.Name())
		if checkTaskID(d.Name()) == nil && (exists(p.state()) || exists(p.git()) || exists(p.work())) {
			out = append(out, d.Name())
		}
	}
	return out, nil
}
