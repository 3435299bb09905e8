package workfile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/fault"
)

// aside is the folder in which a file lies while it is changed. It stands beside the file, for only there a rename is sure to be one
// step, and it is gone when the change is done.
const aside = ".longshift-aside"

// freshPrefix begins the names of files there that are ours alone.
const freshPrefix = ".new-"

func held(name string) string { return aside + "/" + name }

// Replace writes data in place of a file that still says old, with its mode. It gives false, and changes nothing, when the file says
// something else or is gone. The caller holds the lock of the folder's Marks and has called Recover.
func (f *Folder) Replace(name string, old, data []byte) (bool, error) {
	if data == nil {
		data = []byte{}
	}
	return f.change(name, old, data)
}

// Remove takes a file away that still says old, under the terms of Replace.
func (f *Folder) Remove(name string, old []byte) (bool, error) { return f.change(name, old, nil) }

// change moves the file out of everybody's sight before it compares, so that nobody who opens it by its name comes between the compare
// and the end. Each step leaves the old text, the new one or both, and Recover ends what a crash has left.
func (f *Folder) change(name string, old, data []byte) (done bool, err error) {
	before, err := f.Read(name)
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil || before.Size > Most || !bytes.Equal(before.Data, old) {
		return false, err
	}
	if err := f.makeAside(); err != nil {
		return false, Fault("change", f.Name(name), err)
	}
	defer f.root.Remove(aside) // which fails while something lies there
	fresh := ""
	if data != nil {
		if fresh, err = f.fresh(data, before.Info); err != nil {
			return false, Fault("write", f.Name(name), err)
		}
		defer func() { f.root.Remove(fresh) }()
	}
	f.step("rename")
	if _, err := f.root.Lstat(held(name)); err == nil {
		return false, fault.New(fault.Infra, "%s: an earlier change of it has not ended", f.Name(name))
	}
	if err := f.root.Rename(name, held(name)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, Fault("change", f.Name(name), err)
	}
	f.step("compare")
	return f.finish(name, fresh, old, data)
}

// finish compares what lies aside, and ends the change or takes it back.
func (f *Folder) finish(name, fresh string, old, data []byte) (bool, error) {
	file, err := f.open(held(name))
	if err != nil {
		return false, errors.Join(Fault("read", f.Name(name), err), f.putBack(name))
	}
	defer file.Close()
	now, err := f.readOpen(file, name)
	if err != nil || !bytes.Equal(now.Data, old) {
		return false, errors.Join(err, f.putBack(name))
	}
	if data != nil {
		if err := f.link(fresh, name); errors.Is(err, fs.ErrExist) { // somebody has put a new file there: that is what counts
			return false, f.drop(name)
		} else if err != nil {
			return false, errors.Join(Fault("write", f.Name(name), err), f.putBack(name))
		}
	}
	f.step("drop")
	if err := f.drop(name); err != nil {
		return false, err
	}
	f.step("late")
	return f.late(file, name, old, data)
}

func (f *Folder) drop(name string) error {
	if err := f.root.Remove(held(name)); err != nil {
		return Fault("change", f.Name(name), err)
	}
	return f.sync()
}

// late looks once more at what was dropped: who had opened the file before it was moved may have written to it since.
func (f *Folder) late(file *os.File, name string, old, data []byte) (bool, error) {
	now, err := f.readOpen(file, name)
	if err != nil || bytes.Equal(now.Data, old) {
		return true, err
	}
	fresh, err := f.fresh(now.Data, now.Info)
	if err != nil {
		return false, Fault("write", f.Name(name), err)
	}
	defer f.root.Remove(fresh)
	if data != nil {
		if done, err := f.change(name, data, now.Data); err != nil || done {
			return false, err
		}
	}
	return false, f.place(fresh, name, now.Data)
}

// fresh writes a new file that nobody looks at yet, with the mode and, where that is allowed, the owner of another.
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
		_ = file.Chown(int(st.Uid), int(st.Gid)) // only root may give files away
	}
	if err = errors.Join(err, file.Chmod(like.Mode().Perm()), file.Sync(), file.Close()); err != nil {
		f.root.Remove(name)
		return "", err
	}
	return name, nil
}

// makeAside makes the folder for files that are changed. What else has its name is not used.
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

// link gives a file a name that must be free. Where the file system has no hard links, a rename after a look has to do.
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

// sync makes what happened to names last.
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
