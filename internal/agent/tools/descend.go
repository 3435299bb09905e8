package tools

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// errReplaced means that another file or folder has taken the place of the one that was there: perhaps a link to what may not be read.
var errReplaced = errors.New("it was replaced meanwhile")

// descend opens the folder at a path in which there are no links, one part after the other.
func (t *Tree) descend(dir string) (*os.Root, error) {
	at, err := t.Root.OpenRoot(".")
	for part := range strings.SplitSeq(dir, "/") {
		if err != nil {
			return nil, err
		}
		if part == "" || part == "." {
			continue
		}
		above := at
		at, err = enter(above, part)
		above.Close()
	}
	return at, err
}

// enter opens a folder in another one. It follows no link, also when one takes the folder's place between the look and the opening.
func enter(above *os.Root, name string) (*os.Root, error) {
	before, err := above.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, errReplaced
	case !before.IsDir():
		return nil, syscall.ENOTDIR
	}
	dir, err := above.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := dir.Stat(".")
	if err == nil && !os.SameFile(before, now) {
		err = errReplaced
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

// folder opens a folder, creates it and those above it where they are missing, and remembers which were.
func (t *transaction) folder(dir string) (at *os.Root, err error) {
	if at = t.folders[dir]; at != nil {
		return at, nil
	}
	if dir == "." {
		at, err = t.tree.Root.OpenRoot(dir)
	} else {
		at, err = t.below(path.Dir(dir), path.Base(dir))
	}
	if err == nil {
		t.folders[dir] = at
	}
	return at, err
}

func (t *transaction) below(dir, name string) (*os.Root, error) {
	above, err := t.folder(dir)
	if err != nil {
		return nil, err
	}
	at, err := enter(above, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return at, err
	}
	if err := above.Mkdir(name, 0o755); err != nil {
		return nil, err
	}
	t.undo = append(t.undo, func() { _ = above.Remove(name) })
	return enter(above, name)
}

func (t *transaction) close() {
	for _, dir := range t.folders {
		dir.Close()
	}
}
