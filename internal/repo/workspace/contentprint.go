package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// unreadablePrint is the contentPrint of a file that a program has closed to its owner. Not even git can read it.
const unreadablePrint = "unreadable"

// unreadableMark begins the part of a fingerprint that stands for such files.
const unreadableMark = "unreadable:"

// contentPrint identifies a file's content: its kind and a hash, or "none" if the file does not exist.
func contentPrint(root *os.Root, name string) (string, error) {
	info, err := root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err != nil && belowLink(root, name):
		return "none", nil
	case errors.Is(err, fs.ErrPermission):
		return unreadablePrint, nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(filepath.FromSlash(name))
		return "link " + target, err
	case !info.Mode().IsRegular():
		return info.Mode().Type().String(), nil
	}
	f, err := root.Open(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrPermission) {
		return unreadablePrint, nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	kind := "file "
	if info.Mode()&0o100 != 0 {
		kind = "program "
	}
	return kind + hex.EncodeToString(sum.Sum(nil)), nil
}

// belowLink reports whether a link has replaced one of the folders above a file. If it leads out of the work tree, root refuses to follow
// it.
func belowLink(root *os.Root, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(filepath.FromSlash(dir)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// withoutUnreadable returns narrow for trees that are no commits: unreadable files stay as they are in the last one.
func (x *index) withoutUnreadable(narrow func(*changes) error) func(*changes) error {
	return func(c *changes) error {
		if narrow != nil {
			if err := narrow(c); err != nil {
				return err
			}
		}
		root, err := os.OpenRoot(x.place.work())
		if err != nil {
			return err
		}
		defer root.Close()
		c.paths = slices.DeleteFunc(c.paths, func(name string) bool {
			info, err := root.Lstat(filepath.FromSlash(name))
			if err == nil && info.Mode().IsRegular() {
				var f *os.File
				if f, err = root.Open(filepath.FromSlash(name)); err == nil {
					f.Close()
				}
			}
			if !errors.Is(err, fs.ErrPermission) {
				return false
			}
			if info != nil {
				name += "\x00" + info.Mode().String() + "\x00" + strconv.FormatInt(info.Size(), 10) + "\x00" + info.ModTime().String()
			}
			c.unreadable = append(c.unreadable, name)
			return true
		})
		return nil
	}
}

func hashOf(list []string) string {
	sum := sha256.Sum256([]byte(strings.Join(list, "\x00")))
	return hex.EncodeToString(sum[:8])
}
