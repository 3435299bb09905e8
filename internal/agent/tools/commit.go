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
	w      *Workspace
	staged []string // temporary files, by change; "" for none
	undo   []func()
}

// commit writes new contents beside the files first. It replaces the files only if all of them are still as the plan has found them.
func (w *Workspace) commit(ctx context.Context, changes []change) error {
	t := &transaction{w: w}
	err := t.stage(ctx, changes)
	if err == nil {
		err = t.compare(changes)
	}
	for i := 0; err == nil && i < len(changes); i++ {
		err = t.apply(changes[i], t.staged[i])
	}
	for _, name := range t.staged {
		if name != "" {
			_ = w.Root.Remove(name) // gone if it was renamed
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
		name := ""
		err := error(nil)
		if !c.remove && !c.folder {
			if err = t.folders(path.Dir(c.path)); err == nil {
				name, err = t.w.writeBeside(c.path, c.after, c.mode)
			}
		}
		t.staged = append(t.staged, name)
		if err != nil {
			return cause("write", c.path, err)
		}
	}
	return nil
}

// folders creates a folder and those above it, and remembers which were missing.
func (t *transaction) folders(dir string) error {
	if dir == "." {
		return nil
	}
	if _, err := t.w.Root.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := t.folders(path.Dir(dir)); err != nil {
		return err
	}
	err := t.w.Root.Mkdir(dir, 0o755)
	if err == nil {
		t.undo = append(t.undo, func() { _ = t.w.Root.Remove(dir) })
	}
	return err
}

func (t *transaction) compare(changes []change) error {
	for _, c := range changes {
		now, err := t.w.state(c.path)
		if err != nil {
			return cause("write", c.path, err)
		}
		if now != c.before {
			return fmt.Errorf("path %q was changed by something else meanwhile, so nothing was written; read it again and repeat the call", c.path)
		}
	}
	return nil
}

func (t *transaction) apply(c change, staged string) error {
	root := t.w.Root
	if c.folder {
		if c.before != "" {
			return nil
		}
		return t.explain(c, t.folders(c.path))
	}
	err := error(nil)
	if c.remove {
		err = root.Remove(c.path)
	} else {
		err = root.Rename(staged, c.path)
	}
	if err == nil {
		t.undo = append(t.undo, func() { t.restore(c) })
	}
	return t.explain(c, err)
}

// restore is called only when a later file of the same plan could not be written.
func (t *transaction) restore(c change) {
	if c.before == "" {
		_ = t.w.Root.Remove(c.path)
		return
	}
	if name, err := t.w.writeBeside(c.path, c.had, c.hadMode); err == nil {
		_ = t.w.Root.Rename(name, c.path)
	}
}

func (t *transaction) explain(c change, err error) error {
	if err != nil {
		return cause("write", c.path, err)
	}
	return nil
}

func besideName(name string) string { return path.Join(path.Dir(name), Temporary+rand.Text()) }

// writeBeside writes a temporary file into the folder of another.
func (w *Workspace) writeBeside(name string, content []byte, mode fs.FileMode) (string, error) {
	usual := fs.FileMode(0o644)
	temp := besideName(name)
	f, err := w.Root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, usual)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = w.Root.Remove(temp)
		return "", err
	}
	return temp, nil
}
