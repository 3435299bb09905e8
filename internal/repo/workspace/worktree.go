package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/remove"
)

// workTree is a repository with its work tree: what the files there have beyond its index, and what becomes of them.
type workTree struct{ repo }

// bounded is the repository for a command that lists files of the work tree, of which an agent can make any number.
func (w workTree) bounded() repo {
	w.most = w.runner.most
	return w.repo
}

// undo gives files of the work tree the content of the index, and removes those that the index does not have.
func (w workTree) undo(ctx context.Context, paths []string) error {
	root, err := os.OpenRoot(w.work)
	if err != nil {
		return err
	}
	defer root.Close()
	var known []string
	for some := range slices.Chunk(paths, 500) {
		text, err := w.with("GIT_LITERAL_PATHSPECS=1").run(ctx, append([]string{"ls-files", "-z", "--"}, some...)...)
		if err != nil {
			return err
		}
		indexed := strings.Split(text, "\x00")
		for _, name := range some {
			if slices.Contains(indexed, name) {
				known = append(known, name)
			} else if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("undo a change: %w", err)
			}
		}
	}
	if len(known) == 0 {
		return nil
	}
	_, err = w.feed(ctx, strings.Join(known, "\x00")+"\x00", "checkout-index", "--force", "-u", "-z", "--stdin")
	return err
}

// clean removes the files of the work tree that the index does not have. Those that are ignored, and those with names that no project
// commits, are removed only if all is set: setup may have made them, no snapshot has them, and setup does not run again. Git can't remove
// what lies in folders that are closed to their owner, as module caches are, so these are opened then.
func (w workTree) clean(ctx context.Context, all bool) error {
	options, hidden := []string{"clean", "-ffdq"}, []string(nil)
	if all {
		options = append(options, "-x")
	} else {
		usual, err := w.usualJunk(ctx)
		if err != nil {
			return err
		}
		hidden = append(hidden, "--exclude-standard")
		for _, name := range junk {
			if !usual[name] {
				options, hidden = append(options, "-e", name), append(hidden, "-x", name)
			}
		}
	}
	_, err := w.run(ctx, options...)
	if err == nil || ctx.Err() != nil || w.openUnknown(ctx, hidden) != nil {
		return err
	}
	_, err = w.run(ctx, options...)
	return err
}

// openUnknown opens the folders that clean removes, and those that hold files that it removes. hidden has the options for what it leaves.
func (w workTree) openUnknown(ctx context.Context, hidden []string) error {
	args := append([]string{"ls-files", "--others", "--directory", "-z"}, hidden...)
	text, err := w.bounded().run(ctx, args...)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(w.work)
	if err != nil {
		return err
	}
	defer root.Close()
	above := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		if dir, isDir := strings.CutSuffix(name, "/"); isDir {
			remove.Open(root, dir)
		}
		if parent := path.Dir(strings.TrimSuffix(name, "/")); !above[parent] {
			above[parent] = true
			remove.Unlock(root, parent)
		}
	}
	return nil
}
