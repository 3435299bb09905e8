package workspace

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
)

// narrow removes from the changes what commands have made, and undoes those of closed files. It fails for files that are too large.
func (cs *commits) narrow(ctx context.Context, head string, s CommitSpec) func(*changes) error {
	made := cs.index.withoutMade(ctx, head)
	return func(c *changes) error {
		if made != nil {
			if err := made(c); err != nil {
				return err
			}
		}
		if s.closes() != nil {
			if err := cs.undoClosed(ctx, head, s, c); err != nil {
				return err
			}
		}
		return cs.work.vetSizes(ctx, c.paths)
	}
}

// undoClosed undoes changes of closed files in the work tree too, because the check must see what was committed. It leaves files that the
// task's own commits have changed, so that they can be changed back, and files in conflict, which have to be resolved.
func (cs *commits) undoClosed(ctx context.Context, head string, s CommitSpec, c *changes) error {
	changed, found, closed := map[string]bool{}, []string{}, s.closes()
	for _, name := range slices.Concat(c.paths, c.removed) {
		if changed[name] = true; closed(name) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return nil
	}
	from, err := cs.history.since(ctx, cs.state.Record.Base, head)
	if err != nil {
		return err
	}
	keep, err := differ(ctx, cs.bare, from, cs.state.or(head))
	if err != nil {
		return fmt.Errorf("look for what the task has changed: %w", err)
	}
	delete(keep, s.Own) // no session changes it back
	if m := cs.state.Merging; m != nil {
		for _, name := range m.paths() {
			keep[name] = entry{}
		}
	}
	undone := map[string]bool{}
	for _, name := range found {
		if _, kept := keep[name]; kept {
			continue
		}
		for ; name != "."; name = path.Dir(name) { // a link may have replaced a folder
			if changed[name] {
				undone[name] = true
			}
		}
	}
	c.closed = slices.Sorted(maps.Keys(undone))
	drop := func(name string) bool { return undone[name] }
	c.paths, c.removed = slices.DeleteFunc(c.paths, drop), slices.DeleteFunc(c.removed, drop)
	return cs.work.undo(ctx, c.closed)
}
