package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Temporary is how the names of files begin that hold new content until it is complete. A crash can leave one.
const Temporary = ".longshift-tmp-"

// transaction makes the changes of a plan, all or none. A crash can leave some of a patch made; Done tells.
type transaction struct {
	tree *Tree
	// folders are open until the end. Writing starts from them: a program can put a link in a folder's place at any moment.
	folders map[string]*os.Root
	staged  []staged // by change
	undo    []func()
}

// staged is where a change is made: a temporary file, "" for none, in the folder of the file that it replaces.
type staged struct {
	in   *os.Root
	temp string
}

// commit writes new contents beside the files first. It replaces the files only if all of them are still as the plan has found them.
func (w *Workspace) commit(ctx context.Context, changes []change) error {
	t := &transaction{tree: &w.Tree, folders: map[string]*os.Root{}}
	defer t.close()
	err := t.stage(ctx, changes)
	if err == nil {
		err = t.compare(changes)
	}
	for i := 0; err == nil && i < len(changes); i++ {
		err = t.apply(changes[i], t.staged[i])
	}
	for _, s := range t.staged {
		if s.temp != "" {
			_ = s.in.Remove(s.temp) // gone if it was renamed
		}
	}
	if err != nil {
		for i := len(t.undo) - 1; i >= 0; i-- {
			t.undo[i]()
		}
	}
	return err
}

func (t *transaction) stage(ctx context.Context, changes []change) error {
	for _, c := range changes {
		if ctx.Err() != nil {
			return errStopped
		}
		if c.folder {
			t.staged = append(t.staged, staged{})
			continue
		}
		dir, err := t.folder(path.Dir(c.path))
		s := staged{in: dir}
		if err == nil && !c.remove {
			s.temp, err = writeTemporary(dir, c.after, c.mode)
		}
		if err != nil {
			return cause("write", c.path, err)
		}
		t.staged = append(t.staged, s)
	}
	return nil
}

func (t *transaction) compare(changes []change) error {
	for i, c := range changes {
		now, err := t.state(c, t.staged[i])
		if err != nil {
			return cause("write", c.path, err)
		}
		if now != c.before {
			return fmt.Errorf("path %q was changed by something else meanwhile, so nothing was written; read it again and repeat the call", c.path)
		}
	}
	return nil
}

func (t *transaction) state(c change, s staged) (string, error) {
	if c.folder {
		return t.tree.state(c.path)
	}
	return t.tree.stateIn(s.in, path.Base(c.path))
}

func (t *transaction) apply(c change, s staged) (err error) {
	switch name := path.Base(c.path); {
	case c.folder && c.before == "":
		_, err = t.folder(c.path)
	case c.folder:
	case c.remove:
		err = s.in.Remove(name)
	default:
		err = s.in.Rename(s.temp, name)
	}
	if err != nil {
		return cause("write", c.path, err)
	}
	if !c.folder {
		t.undo = append(t.undo, func() { c.restore(s.in) })
	}
	return nil
}

// restore is called only when a later file of the same plan could not be written.
func (c change) restore(dir *os.Root) {
	name := path.Base(c.path)
	if c.before == "" {
		_ = dir.Remove(name)
		return
	}
	if temp, err := writeTemporary(dir, c.had, c.hadMode); err == nil {
		_ = dir.Rename(temp, name)
	}
}

// writeTemporary writes a temporary file into the folder of the one that it will replace.
func writeTemporary(dir *os.Root, content []byte, mode fs.FileMode) (string, error) {
	usual := fs.FileMode(0o644)
	temp := Temporary + rand.Text()
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, usual)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = dir.Remove(temp)
		return "", err
	}
	return temp, nil
}
