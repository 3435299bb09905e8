package workfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Recover completes changes that a crash has interrupted. For each file left aside it calls mayGo to ask whether the content may be
// removed; there reports whether a file has its name again. Other files are put back. The caller holds the lock of the folder's Marks.
func (f *Folder) Recover(mayGo func(name string, content File, there bool) bool) error {
	if !f.LeftAside() {
		return nil
	}
	dir, err := f.root.Open(aside)
	if err != nil {
		return Fault("open", f.Name(aside), err)
	}
	entries, err := dir.ReadDir(-1)
	dir.Close()
	if err != nil {
		return Fault("open", f.Name(aside), err)
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, freshPrefix) {
			err = errors.Join(err, f.root.Remove(held(name)))
			continue
		}
		content, look := f.Read(held(name))
		_, there := f.root.Lstat(name)
		if look == nil && mayGo(name, content, there == nil) {
			err = errors.Join(err, f.drop(name))
			continue
		}
		err = errors.Join(err, f.putBack(name))
	}
	if err != nil {
		return Fault("put back", f.Name(aside), err)
	}
	f.root.Remove(aside)
	return nil
}

// LeftAside reports whether a change is in progress or was interrupted by a crash.
func (f *Folder) LeftAside() bool {
	if f.root == nil {
		return false
	}
	info, err := f.root.Lstat(aside)
	return err == nil && info.IsDir()
}

// putBack restores the name of a file that lies aside.
func (f *Folder) putBack(name string) error {
	content, err := f.Read(held(name))
	if err != nil {
		return err
	}
	return f.place(held(name), name, content.Data)
}

// place renames a file to its name. If somebody has created another text there, the file gets a name beside it, and both are kept.
func (f *Folder) place(from, name string, content []byte) error {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	err := f.link(from, name)
	for n := 1; errors.Is(err, fs.ErrExist); n++ {
		if now, look := f.Read(name); look == nil && now.Size <= Most && bytes.Equal(now.Data, content) {
			err = nil
			break
		}
		name = fmt.Sprintf("%s-kept-%d%s", strings.ToValidUTF8(stem[:min(len(stem), 200)], ""), n, ext)
		err = f.link(from, name)
	}
	if err != nil {
		return Fault("put back", f.Name(name), err)
	}
	if err := f.root.Remove(from); err != nil && !errors.Is(err, fs.ErrNotExist) { // after a rename there is nothing to remove
		return Fault("put back", f.Name(name), err)
	}
	f.root.Remove(aside)
	return f.sync()
}
