package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/remove"
	"github.com/longshift/longshift/internal/repo/git"
)

// repoOf has the files of a submodule as its work tree, the mirror as its git folder and an index among our own files. It is for
// commands that write neither refs nor objects.
func (t *submoduleTree) repoOf(s submodule) repo {
	r := t.mirrors.at(s.Mirror).with("GIT_INDEX_FILE=" + t.indexOf(s))
	r.work = filepath.Join(t.place.work(), s.Path)
	return r
}

func (t *submoduleTree) indexOf(s submodule) string {
	return filepath.Join(t.place.git(), "submodules", s.key()+".index")
}

// checkOut makes the files of a submodule what its commit has. Files that the commit does not know stay: they are mostly what
// a build has made. What stands in the way of its folders goes, so that nothing is written through a link.
func (t *submoduleTree) checkOut(ctx context.Context, root *os.Root, s submodule) error {
	if err := makeFolders(root, s.Path); err != nil {
		return disk.Fault(err, t.place.work())
	}
	index := t.indexOf(s)
	if err := os.MkdirAll(filepath.Dir(index), 0o700); err != nil {
		return disk.Fault(err, t.place.work())
	}
	if exists(index + ".lock") {
		breakStale(index+".lock", t.place.work())
	}
	r := t.repoOf(s)
	_, err := r.run(ctx, "read-tree", "--reset", "-u", s.Commit)
	if err != nil && ctx.Err() == nil && !git.Killed(err) { // from nothing, without what may be in the way
		os.Remove(index)
		if err := emptyFolder(root, s.Path); err != nil {
			return err
		}
		_, err = r.run(ctx, "read-tree", "--reset", "-u", s.Commit)
	}
	if err != nil {
		return err
	}
	return t.writeGit(root, s)
}

// touched names the submodules whose files are not as they are recorded.
func (t *submoduleTree) touched(ctx context.Context) (list []string, err error) {
	root, err := os.OpenRoot(t.place.work())
	if err != nil {
		return nil, fmt.Errorf("open work tree: %w", err)
	}
	defer root.Close()
	for _, s := range t.state.Submodules.full() {
		changed, fresh := "all of it", ""
		if realFolders(root, s.Path) {
			r := t.repoOf(s)
			changed, err = r.run(ctx, "diff", "--name-only", "--no-ext-diff", "--ignore-submodules=all")
			if err == nil {
				fresh, err = r.run(ctx, "ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory")
			}
			if ctx.Err() != nil || git.Killed(err) {
				return nil, err
			} else if err != nil { // git can't make sense of it, so it is made anew
				changed = "all of it"
			}
		}
		switch {
		case changed != "":
			list = append(list, s.Path+" (changes in a submodule, which were undone)")
		case fresh != "":
			list = append(list, s.Path+" (new files in a submodule)")
		}
	}
	return list, nil
}

// leave takes away the folders of submodules that a tree has no longer, before the work tree gets that tree: git would
// leave them behind.
func (t *submoduleTree) leave(ctx context.Context, tree string) error {
	tops := map[string]bool{}
	for _, s := range t.state.Submodules.full() {
		if s.In == "" {
			tops[s.Path] = true
		}
	}
	if len(tops) == 0 {
		return nil
	}
	there, err := gitlinks(ctx, t.bare, tree, slices.Sorted(maps.Keys(tops)))
	if err != nil {
		return fmt.Errorf("look for submodules: %w", err)
	}
	root, err := os.OpenRoot(t.place.work())
	if err != nil {
		return fmt.Errorf("open work tree: %w", err)
	}
	defer root.Close()
	for name := range tops {
		if there[name] == "" && realFolders(root, path.Dir(name)) {
			if err := remove.Below(root, name); err != nil {
				return fmt.Errorf("remove the submodule %s: %w", name, err)
			}
		}
	}
	return nil
}

// realFolders tells whether all of the path is folders, and none of it a link.
func realFolders(root *os.Root, name string) bool {
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		if info, err := root.Lstat(at); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// makeFolders makes the path folders, in place of whatever else is there.
func makeFolders(root *os.Root, name string) error {
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		info, err := root.Lstat(at)
		if err == nil && info.IsDir() {
			continue
		}
		if err == nil {
			err = remove.Below(root, at)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := root.Mkdir(at, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// emptyFolder takes out of a folder what is in it.
func emptyFolder(root *os.Root, name string) error {
	if !realFolders(root, name) {
		return nil
	}
	if err := remove.Below(root, name); err != nil {
		return err
	}
	return root.Mkdir(name, 0o755)
}
