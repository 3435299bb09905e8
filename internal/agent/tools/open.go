package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
	"unicode/utf8"
)

var (
	errFolder    = errors.New("it is a folder")
	errIrregular = errors.New("it is no regular file")
)

// open opens the regular file at a path in which there are no links.
func (t *Tree) open(name string) (*os.File, fs.FileInfo, error) {
	dir, err := t.descend(path.Dir(name))
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	return openIn(dir, path.Base(name))
}

const mostReplaced = 3 // times that a file is looked at anew, because editors replace files by renaming others

func openIn(dir *os.Root, name string) (f *os.File, info fs.FileInfo, err error) {
	for range mostReplaced {
		if f, info, err = openOnce(dir, name); err != errReplaced {
			break
		}
	}
	return f, info, err
}

// openOnce looks before it opens, because opening a device can do something, and afterwards, because the file can have been replaced; a pipe
// that took its place does not block it, and a link is not followed.
func openOnce(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := dir.Lstat(name)
	if err == nil {
		err = regular(before)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(info)
	}
	if err == nil && !os.SameFile(before, info) {
		err = errReplaced
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errFolder
	case !info.Mode().IsRegular():
		return errIrregular
	}
	return nil
}

// openNamed is open for the path that a call names, with an error for the model.
func (t *Tree) openNamed(p place) (*os.File, fs.FileInfo, error) {
	f, info, err := t.open(p.path)
	return f, info, t.openError(p.named, err)
}

func (t *Tree) openError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errFolder):
		return fmt.Errorf("path %q is a folder; list_dir shows what is in it", name)
	case errors.Is(err, errIrregular):
		return fmt.Errorf("path %q is a pipe, a device or the like; the tools work on regular files only", name)
	}
	return cause("open", name, err)
}

// slurp reads a whole file unless it is larger than most; the size is then in the answer and the content nil.
func (t *Tree) slurp(p place, most int64) (content []byte, info fs.FileInfo, err error) {
	f, info, err := t.openNamed(p)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	content, err = upTo(f, info, p.named, most)
	return content, info, err
}

// upTo reads a file; it returns nil without an error if it is larger than most.
func upTo(f *os.File, info fs.FileInfo, named string, most int64) ([]byte, error) {
	if info.Size() > most {
		return nil, nil
	}
	content, err := io.ReadAll(io.LimitReader(f, most+1)) // never nil
	if err != nil {
		return nil, cause("read", named, err)
	}
	if int64(len(content)) > most { // it grew meanwhile, or is one of those whose size is not told
		return nil, nil
	}
	return content, nil
}

// content reads a file that a walk has found, nil if it is larger than most.
func (e found) content(most int64) ([]byte, error) {
	f, info, err := openIn(e.in, e.name())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return upTo(f, info, e.path, most)
}

// isBinary looks at all of it: what has a zero byte somewhere is no text that can be shown or edited.
func isBinary(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

func isText(b []byte) bool { return !isBinary(b) && utf8.Valid(b) }

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// folderState stands for a folder where a hash stands for a file.
var folderState = hash([]byte("a folder"))

// state is the hash of what is at a path, "" where nothing is.
func (t *Tree) state(name string) (string, error) {
	dir, err := t.descend(path.Dir(name))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return "", nil
	case err != nil:
		return "", err
	}
	defer dir.Close()
	return t.stateIn(dir, path.Base(name))
}

func (t *Tree) stateIn(dir *os.Root, name string) (string, error) {
	f, info, err := openIn(dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case errors.Is(err, errFolder):
		return folderState, nil
	case err != nil:
		return "", err
	}
	defer f.Close()
	most := t.limits().ScanBytes
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("its %d bytes are more than the %d that the tools replace", info.Size(), most)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}
