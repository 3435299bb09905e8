package workfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/longshift/longshift/internal/fault"
)

// aside is the folder in which a file lies while it is changed. It is beside the file, because a rename is atomic only there, and is
// removed after the change.
const aside = ".longshift-aside"

// freshPrefix marks files in that folder that we have created.
const freshPrefix = ".new-"

func held(name string) string { return aside + "/" + name }

// Replace writes data, with the same mode, if the file still has the content old. It returns false and changes nothing when the file has
// other content or does not exist. The caller holds the lock of the folder's Marks and has called Recover.
func (f *Folder) Replace(name string, old, data []byte) (bool, error) {
	if data == nil {
		data = []byte{}
	}
	return f.change(name, old, data)
}

// Remove removes a file that still has the content old, under the same conditions as Replace.
func (f *Folder) Remove(name string, old []byte) (bool, error) { return f.change(name, old, nil) }

// change moves the file away before it compares, so that nobody can open it by name between the comparison and the end. After each step
// the old text, the new one or both exist. Recover completes the change after a crash.
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
	defer f.root.Remove(aside) // fails while the folder is not empty
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

// finish compares the file that lies aside and completes or reverts the change.
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
		if err := f.link(fresh, name); errors.Is(err, fs.ErrExist) { // somebody has created a new file, which takes precedence
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

// late checks the dropped file again: a program that had opened it before the move may have written to it since.
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
