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

// workOf returns the work tree of a submodule: its mirror is the git directory, and the index lies among our own files. Use it
// only for commands that write neither refs nor objects.
func (t *submoduleTree) workOf(s submodule) workTree {
	r := t.mirrors.at(s.Mirror).with("GIT_INDEX_FILE=" + t.indexOf(s))
	r.work = filepath.Join(t.place.work(), s.Path)
	return workTree{r}
}

func (t *submoduleTree) indexOf(s submodule) string {
	return filepath.Join(t.place.git(), "submodules", s.key()+".index")
}

// checkOut checks out the submodule's commit. Files that the commit does not contain stay, as most are build output. Anything in the
// place of its folders is removed, so that nothing is written through a link.
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
	w := t.workOf(s)
	_, err := w.run(ctx, "read-tree", "--reset", "-u", s.Commit)
	if err != nil && ctx.Err() == nil && !git.Killed(err) { // start over, without whatever is in the way
		os.Remove(index)
		if err := emptyFolder(root, s.Path); err != nil {
			return err
		}
		_, err = w.run(ctx, "read-tree", "--reset", "-u", s.Commit)
	}
	if err != nil {
		return err
	}
	return t.writeGit(root, s)
}

// touched lists the submodules whose files differ from their recorded state.
func (t *submoduleTree) touched(ctx context.Context) (list []string, err error) {
	root, err := os.OpenRoot(t.place.work())
	if err != nil {
		return nil, fmt.Errorf("open work tree: %w", err)
	}
	defer root.Close()
	for _, s := range t.state.Submodules.full() {
		changed, fresh := "all of it", ""
		if realFolders(root, s.Path) {
			r := t.workOf(s).bounded()
			changed, err = r.run(ctx, "diff", "--name-only", "--no-ext-diff", "--ignore-submodules=all")
			if err == nil {
				fresh, err = r.run(ctx, "ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory")
			}
			if ctx.Err() != nil || git.Killed(err) {
				return nil, err
			} else if errors.Is(err, git.ErrTooMuch) && changed == "" {
				fresh = "more than are listed"
			} else if err != nil { // git can't read the index, so it is created again
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

// leave removes the folders of submodules that the next tree no longer has. Git itself would leave them behind.
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

// realFolders reports whether every element of the path is a folder and none is a link.
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

// makeFolders creates the path's folders and replaces anything else in their place.
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

// emptyFolder removes the content of a folder.
func emptyFolder(root *os.Root, name string) error {
	if !realFolders(root, name) {
		return nil
	}
	if err := remove.Below(root, name); err != nil {
		return err
	}
	return root.Mkdir(name, 0o755)
}
