package toolcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Limits of a copy. Copying more saves no time.
const (
	mostBytes   = 16 << 30
	mostEntries = 2 << 20
)

// copier copies one tree. Its content is untrusted, so links are copied and never followed, and anything but files and folders is left
// out.
type copier struct {
	from    *os.Root
	to      string
	files   int
	entries int
	bytes   int64
}

// copyTree copies what the filter accepts. The copy is independent of its source, although the file system may share unmodified blocks.
func copyTree(ctx context.Context, from, to string, take filter) (files int, err error) {
	root, err := os.OpenRoot(from)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	c := copier{from: root, to: to}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) && name != ".": // a tool has cleaned up the operator's folder meanwhile
			return nil
		case err != nil:
			return err
		case !take(name) && d.IsDir():
			return fs.SkipDir
		case !take(name):
			return nil
		}
		return c.entry(name, d)
	})
	return c.files, err
}

func (c *copier) entry(name string, d fs.DirEntry) error {
	if c.entries++; c.entries > mostEntries {
		return fmt.Errorf("more than %d files", mostEntries)
	}
	to := filepath.Join(c.to, name)
	switch d.Type() {
	case fs.ModeDir:
		return os.Mkdir(to, 0o700)
	case fs.ModeSymlink:
		target, err := c.from.Readlink(name)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case 0:
		err := c.file(name, to)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return nil
}

// file copies one file with its mode, without setuid and setgid, and its time, from which tools tell what has changed.
func (c *copier) file(name, to string) error {
	in, err := c.from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if c.bytes += info.Size(); c.bytes > mostBytes {
		return fmt.Errorf("more than %d GiB", mostBytes>>30)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, info.Size()))
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	c.files++
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
