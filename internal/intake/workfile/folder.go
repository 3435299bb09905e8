// Package workfile handles local files in which people write down work. It opens their folder inside a git work tree, reads and changes
// them without losing text that a person writes meanwhile, and keeps marks about work in a worker's state folder. It follows no symbolic
// link, never leaves the work tree, runs no program, and makes no decisions about work.
package workfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Folder is a folder of a git work tree. Close it after use.
type Folder struct {
	Repository string // absolute path of the work tree with links resolved
	Path       string // path of the folder relative to it, with slashes; "." for the top

	root     *os.Root                    // nil when the folder does not exist
	hardLink func(from, to string) error // root.Link, replaced in tests
	step     func(point string)          // called by tests between the steps of a change
}

// Open opens a repository's work tree and a folder below it. A folder that does not exist is not an error: it is empty.
func Open(r task.Repository, path string) (*Folder, error) {
	if r.Path == "" || !filepath.IsAbs(r.Path) {
		return nil, fault.New(fault.Input, "repository %q is not a folder of this machine", r.Text).
			WithHint("give the absolute path of a git work tree that lies on the worker's machine")
	}
	clean := filepath.Clean(path)
	if path == "" || !filepath.IsLocal(clean) || strings.ContainsAny(path, "\x00\n\r\\") || inGit(clean) {
		return nil, fault.New(fault.Input, "path %q is not a path below the repository", path).
			WithHint("give a relative path without .., outside of .git")
	}
	dir, err := filepath.EvalSymlinks(r.Path)
	if err == nil {
		err = isWorkTree(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "%s is not a git repository", r.Path).WithHint("give the path of a git work tree")
	}
	if err != nil {
		return nil, Fault("open the repository", r.Path, err)
	}
	f := &Folder{Repository: dir, Path: filepath.ToSlash(clean), step: func(string) {}}
	if f.root, err = os.OpenRoot(dir); err != nil {
		return nil, Fault("open the repository", r.Path, err)
	}
	if err := f.descend(clean); err != nil {
		return nil, err
	}
	if f.root != nil {
		f.hardLink = f.root.Link
	}
	return f, nil
}

func inGit(path string) bool {
	parts := strings.Split(filepath.ToSlash(path), "/")
	return slices.ContainsFunc(parts, func(part string) bool { return strings.EqualFold(part, ".git") })
}

// isWorkTree returns fs.ErrNotExist if the folder is not a repository.
func isWorkTree(dir string) error {
	_, err := os.Lstat(filepath.Join(dir, ".git")) // a folder, or the file of a linked work tree
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, head := os.Stat(filepath.Join(dir, "HEAD"))
	_, objects := os.Stat(filepath.Join(dir, "objects"))
	if head == nil && objects == nil {
		return fault.New(fault.Input, "%s is a bare repository: it has no files to read", dir).
			WithHint("give the path of a work tree, as git clone makes one")
	}
	return err
}

// descend opens the path element by element, because os.Root would follow links inside it.
func (f *Folder) descend(path string) error {
	if path == "." {
		return nil
	}
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		info, err := f.root.Lstat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.Close()
			return nil
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			err = fault.New(fault.Denied, "%s is reached over a symbolic link, which is not followed", f.Path).
				WithHint("name the folder that it leads to")
		case err == nil && !info.IsDir():
			err = fault.New(fault.Input, "%s is not a folder", f.Path)
		}
		var next *os.Root
		if err == nil {
			next, err = f.root.OpenRoot(part)
		}
		if err == nil {
			at, look := next.Stat(".")
			if look != nil || !os.SameFile(at, info) {
				err = fault.New(fault.Infra, "%s was replaced while it was opened", f.Path)
				next.Close()
			}
		}
		f.root.Close()
		if err != nil {
			f.root = nil
			return Fault("open", f.Path, err)
		}
		f.root = next
	}
	return nil
}

func (f *Folder) Close() {
	if f.root != nil {
		f.root.Close()
		f.root = nil
	}
}

// Name returns a file's path relative to the repository, for people.
func (f *Folder) Name(file string) string {
	if f.Path == "." {
		return file
	}
	return f.Path + "/" + file
}

// Slug identifies the repository in ids: its folder's name and eight hexadecimal digits of a hash over its path and more.
func (f *Folder) Slug(more string) string {
	place := f.Repository
	if more != "" {
		place += "\x00" + more
	}
	name := cmp.Or(task.Slug(filepath.Base(f.Repository), 40), "repository")
	return fmt.Sprintf("%s-%.8s", name, Sum([]byte(place)))
}

// Sum is a content's checksum: 32 hexadecimal digits.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}
