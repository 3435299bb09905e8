package workfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

type File struct {
	Data []byte // at most Most bytes
	Size int64  // size of the whole file
	Info fs.FileInfo
}

// Most is how many bytes of a file are read.
const Most = 1 << 20

// Sum is the content's checksum. For a file longer than Most it covers the beginning and the size.
func (f File) Sum() string {
	if f.Size > Most {
		return Sum(fmt.Appendf(slices.Clone(f.Data), "\x00%d", f.Size))
	}
	return Sum(f.Data)
}

// Names returns the sorted names of the folder's plain files, except those that begin with a dot.
func (f *Folder) Names() (names []string, err error) {
	if f.root == nil {
		return nil, nil
	}
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, Fault("list", f.Path, err)
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, Fault("list", f.Path, err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Busy reports whether somebody has written to one of the files within a time.
func (f *Folder) Busy(names []string, within time.Duration, now time.Time) bool {
	return f.Settles(names, within, now) > 0
}

// Settles returns how long it takes until the files were left alone for a time, 0 if they were. A modification time in the future is
// ignored as a wrong clock.
func (f *Folder) Settles(names []string, within time.Duration, now time.Time) (left time.Duration) {
	if f.root == nil || within <= 0 {
		return 0
	}
	for _, name := range names {
		info, err := f.root.Lstat(name)
		if err == nil && !info.ModTime().After(now) {
			left = max(left, within-now.Sub(info.ModTime()))
		}
	}
	return left
}

// Read reads a plain file of the folder. If it does not exist or is not a plain file, the error is a fault of kind NotFound.
func (f *Folder) Read(name string) (File, error) {
	file, err := f.open(name)
	if err != nil {
		return File{}, err
	}
	defer file.Close()
	return f.readOpen(file, name)
}

// mostOpens limits retries when an editor replaces the file while it is being opened.
const mostOpens = 5

// open opens a plain file only: no link, and no pipe that could block.
func (f *Folder) open(name string) (file *os.File, err error) {
	for range mostOpens {
		if file, err = f.openNow(name); fault.KindOf(err) != fault.Infra {
			break
		}
	}
	return file, err
}

func (f *Folder) openNow(name string) (*os.File, error) {
	if f.root == nil {
		return nil, fault.New(fault.NotFound, "there is no %s", f.Name(name))
	}
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, Fault("read", f.Name(name), err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.New(fault.NotFound, "%s is not a plain file", f.Name(name))
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, Fault("read", f.Name(name), err)
	}
	now, err := file.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = fault.New(fault.Infra, "%s was replaced while it was opened", f.Name(name))
	}
	if err != nil {
		file.Close()
		return nil, Fault("read", f.Name(name), err)
	}
	return file, nil
}

func (f *Folder) readOpen(file *os.File, name string) (File, error) {
	info, err := file.Stat()
	if err != nil {
		return File{}, Fault("read", f.Name(name), err)
	}
	data, err := io.ReadAll(io.NewSectionReader(file, 0, Most))
	if err != nil {
		return File{}, Fault("read", f.Name(name), err)
	}
	size := int64(len(data))
	if size == Most {
		size = max(size, info.Size())
	}
	return File{data, size, info}, nil
}

// Fault converts a file system error to a fault that names the file as people know it. Faults are returned unchanged.
func Fault(what, name string, err error) error {
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return err
	}
	err = reason(err)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return fault.New(fault.NotFound, "%s %s: %w", what, name, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.New(fault.Denied, "%s %s: %w", what, name, err).WithHint("let the worker's account write to %s", folderOf(name))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.New(fault.Infra, "%s %s: %w", what, name, err).WithHint("make room on its disk")
	}
	return fault.New(fault.Infra, "%s %s: %w", what, name, err)
}

// reason strips the paths from a file system error, because they may be those of our temporary files.
func reason(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	if l := (*os.LinkError)(nil); errors.As(err, &l) {
		return l.Err
	}
	return err
}

func folderOf(name string) string {
	if dir := filepath.Dir(name); dir != "." {
		return dir
	}
	return "the repository's folder"
}
