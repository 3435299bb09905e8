package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/task"
)

// Tree is a workspace opened for one attempt of its task. Each operation checks the fence again, so an old Tree can't overwrite a later
// attempt. It may be used by several goroutines.
type Tree struct {
	at    *attempt
	Base  Base
	Diffs Diffs
}

// Open opens a workspace that was prepared with this fence. It fails with fault.Fenced when a later attempt has it, and with
// fault.NotFound when it is gone or was not prepared for this attempt.
func (m *Manager) Open(ctx context.Context, taskID string, fence int) (*Tree, error) {
	if err := checkTaskID(taskID); err != nil {
		return nil, err
	}
	at := &attempt{id: taskID, fence: fence, place: m.place(taskID), locks: m.locks, open: m.open}
	half := false
	err := at.reading(ctx, func(o *opened) error {
		half = o.state.Step != nil
		return nil
	})
	if err == nil && half { // readers would see the unfinished step
		err = at.locked(ctx, func(*opened) error { return nil })
	}
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	return &Tree{at, Base{at}, Diffs{at}}, nil
}

// Close releases the Tree. The workspace stays.
func (t *Tree) Close() error {
	t.at.closed.Store(true)
	return nil
}

// Dir is the absolute path of the work tree.
func (t *Tree) Dir() string { return t.at.place.work() }

// Objects lists the directories outside the work tree that its git must be able to read. An agent must not be able to write to any of
// them.
func (t *Tree) Objects(ctx context.Context) ([]string, error) {
	var out []string
	err := t.at.reading(ctx, func(o *opened) error {
		out = slices.Clone(o.borrowed)
		for _, store := range o.objects.stores() {
			if err := os.MkdirAll(string(store), 0o700); err != nil {
				return err
			}
			out = append(out, string(store))
		}
		for _, s := range o.state.Submodules.full() {
			if objects := filepath.Join(o.mirrors.at(s.Mirror).dir, "objects"); !slices.Contains(out, objects) {
				out = append(out, objects)
			}
		}
		return nil
	})
	return out, err
}

// Repository returns the repository that the workspace was made from. The key identifies it on this host: it is the same for all of its
// tasks and safe as a directory name.
func (t *Tree) Repository(ctx context.Context) (r task.Repository, key string, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		r, key = o.state.Repository, o.state.Mirror
		return nil
	})
	return r, key, err
}

// Start returns the branch that the task starts from. there reports whether the workspace is still at that branch's own commit: nothing
// was committed, and it is not a round on an existing branch.
func (t *Tree) Start(ctx context.Context) (branch string, there bool, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		rec := o.state.Record
		head, err := o.branch.head(ctx)
		branch, there = rec.BaseBranch, rec.Trunk == "" && rec.Base != "" && head == rec.Base
		return err
	})
	return branch, there, err
}
