package workspace

import (
	"context"
	"fmt"
	"os"
	"slices"
)

// mostMade limits how many files made by commands are remembered. If there are more, all are treated like the task's own files, and the
// commit that may have them says so.
const mostMade = 2000

// made records the changes that setup and check commands have made to files that the task has not touched, such as the output of
// ./configure or an updated lock file. They are not part of the task's work.
type made struct {
	Files   map[string]string `json:"files,omitempty"`   // path to the contentPrint of what the command left
	Key     string            `json:"key,omitempty"`     // key of the command that is running
	Dirty   map[string]string `json:"dirty,omitempty"`   // files that were changed before it started
	TooMany bool              `json:"tooMany,omitempty"` // there were too many files to remember, and no commit has said so yet
}

// BeforeCommand records which files are changed before a setup or check command runs. The key identifies the run: a repetition after a
// crash uses the record of the first run. If the command judges the work, what the interrupted run has changed is taken back first.
func (t *Tree) BeforeCommand(ctx context.Context, key string, judges bool) error {
	return wrap("note what is changed before "+key, t.at.locked(ctx, func(o *opened) error {
		repeated := o.state.Made.Key == key
		if repeated && !judges {
			return nil
		}
		now, known, err := o.index.dirty(ctx)
		if err != nil {
			return err
		}
		if repeated {
			_, err := o.index.takeBack(ctx, now, known)
			return err
		}
		o.state.Made.Key, o.state.Made.Dirty = key, now
		return o.state.save()
	}))
}

// AfterCommand records what the command has changed in addition. Commits leave these files out while they stay as the command left them
// and no commit of the task touches them. If the command judges the work, what it has changed in files that were as committed is taken
// back: otherwise the next check would judge, and pass, what nobody commits.
func (t *Tree) AfterCommand(ctx context.Context, key string, judges bool) error {
	return wrap("note what "+key+" has changed", t.at.locked(ctx, func(o *opened) error {
		if o.state.Made.Key != key {
			return nil
		}
		now, known, err := o.index.dirty(ctx)
		if err == nil && judges {
			now, err = o.index.takeBack(ctx, now, known)
		}
		if err != nil {
			return err
		}
		files := map[string]string{}
		for path, p := range now {
			// A change that existed before the command is the task's work, unless an earlier command had left exactly that.
			if before, was := o.state.Made.Dirty[path]; !was || before == o.state.Made.Files[path] {
				files[path] = p
			}
		}
		tooMany := o.state.Made.TooMany
		if len(files) > mostMade {
			o.log.InfoContext(ctx, "a command has made too many files to tell them from the task's work", "task", o.id, "files", len(files))
			files, tooMany = nil, true
		}
		o.state.Made = made{Files: files, TooMany: tooMany}
		return o.state.save()
	}))
}

// madeToo reports whether a commit has files of commands because there were too many to remember. It says so once.
func (x *index) madeToo(c Commit) (bool, error) {
	if !x.state.Made.TooMany || !c.Created {
		return false, nil
	}
	x.state.Made.TooMany = false
	return c.Files > mostMade, x.state.save() // otherwise they were removed or ignored since
}

// embeddedPrint stands for the content of an embedded git repository, which nobody looks into.
const embeddedPrint = "repository"

// takeBack undoes what the running command has changed in known files that were as the index has them, and returns what is dirty then. New
// files stay: they may be reports, or files of setup that only show because the command has changed .gitignore.
func (x *index) takeBack(ctx context.Context, now map[string]string, known []string) (map[string]string, error) {
	theirs := slices.DeleteFunc(known, func(path string) bool { _, was := x.state.Made.Dirty[path]; return was })
	if len(theirs) == 0 {
		return now, nil
	}
	if err := x.work.undo(ctx, theirs); err != nil {
		return nil, err
	}
	now, _, err := x.dirty(ctx) // anew: a .gitignore may have been among them
	return now, err
}

// dirty returns the files of the work tree that differ from the index, with their contentPrint, and those of them that the index has.
func (x *index) dirty(ctx context.Context) (files map[string]string, known []string, err error) {
	c, err := x.work.changes(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(x.place.work())
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	files = map[string]string{}
	for _, path := range slices.Concat(c.paths, c.removed) {
		if files[path], err = contentPrint(root, path); err != nil {
			return nil, nil, err
		}
	}
	for _, path := range c.embedded {
		files[path] = embeddedPrint
	}
	return files, slices.Concat(c.paths[:len(c.paths)-c.fresh], c.removed), nil
}

// withoutMade removes from the changes those that commands have made to files that no commit of the task has touched.
func (x *index) withoutMade(ctx context.Context, head string) func(*changes) error {
	if len(x.state.Made.Files) == 0 {
		return nil
	}
	return func(c *changes) error {
		root, err := os.OpenRoot(x.place.work())
		if err != nil {
			return err
		}
		defer root.Close()
		touched, err := differ(ctx, x.bare, x.state.or(x.state.Record.Base), x.state.or(head))
		if err != nil {
			return fmt.Errorf("look for what the task has changed: %w", err)
		}
		drop := func(path string) bool {
			left, known := x.state.Made.Files[path]
			if _, work := touched[path]; !known || work {
				return false
			}
			if now, err := contentPrint(root, path); err != nil || now != left {
				return false
			}
			c.made = append(c.made, path)
			return true
		}
		c.paths, c.removed = slices.DeleteFunc(c.paths, drop), slices.DeleteFunc(c.removed, drop)
		c.embedded = slices.DeleteFunc(c.embedded, func(path string) bool {
			if x.state.Made.Files[path] != embeddedPrint {
				return false
			}
			c.made = append(c.made, path)
			return true
		})
		return nil
	}
}
