// Package remove takes away folders that programs have left, also those that are closed to their owner, as module caches are. It decides
// nothing about what may go.
package remove

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// All removes a file or a folder with what is in it. It is no error when nothing is there.
func All(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	above, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer above.Close()
	return Below(above, filepath.Base(path))
}

// Below is All for a name below a folder in which a program may have made links: none of them leads out of it.
func Below(root *os.Root, name string) error {
	err := root.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	Open(root, name)
	return root.RemoveAll(name)
}

// Open opens the folder of that name, and all below it, to their owner. If it can't, what is then done to them fails.
func Open(root *os.Root, name string) {
	_ = fs.WalkDir(root.FS(), name, func(at string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			Unlock(root, at)
		}
		return nil
	})
}

// Unlock opens one folder to its owner. All else of its mode stays, such as the group that volumes hand on to new files.
func Unlock(root *os.Root, name string) {
	const owner, handedOn = 0o700, fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	if info, err := root.Lstat(name); err == nil && info.IsDir() && info.Mode()&owner != owner {
		_ = root.Chmod(name, info.Mode()&handedOn|owner)
	}
}
