package workfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/fault"
)

// fresh creates a file under a temporary name, with the mode and, if permitted, the owner of another file.
func (f *Folder) fresh(data []byte, like fs.FileInfo) (name string, err error) {
	if err := f.makeAside(); err != nil {
		return "", err
	}
	name = held(freshPrefix + rand.Text())
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(st.Uid), int(st.Gid)) // only root may change the owner
	}
	if err = errors.Join(err, file.Chmod(like.Mode().Perm()), file.Sync(), file.Close()); err != nil {
		f.root.Remove(name)
		return "", err
	}
	return name, nil
}

// makeAside creates the folder for files that are being changed. It refuses anything else with that name.
func (f *Folder) makeAside() error {
	err := f.root.Mkdir(aside, 0o700)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := f.root.Lstat(aside)
	if err == nil && !info.IsDir() {
		return fault.New(fault.Denied, "%s is in the way: it is not a folder", f.Name(aside)).WithHint("remove it")
	}
	return err
}

// link gives a file another name, which must be free. On file systems without hard links it checks the name and renames.
func (f *Folder) link(from, to string) error {
	err := f.hardLink(from, to)
	if err == nil {
		return f.sync()
	}
	if _, look := f.root.Lstat(to); look == nil || errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	return f.root.Rename(from, to)
}

// sync flushes renames to disk.
func (f *Folder) sync() error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !strings.Contains(err.Error(), "not supported") {
		return Fault("write", f.Path, err)
	}
	return nil
}
