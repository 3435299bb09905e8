package workspace

import (
	"context"
	"os"
	"path"
	"strings"

	"github.com/longshift/longshift/internal/remove"
)

// clean removes the files of the work tree that the index does not have. Those that are ignored, and those with names that no project
// commits, are removed only if all is set: setup may have made them, no snapshot has them, and setup does not run again. Git can't remove
// what lies in folders that are closed to their owner, as module caches are, so these are opened then.
func (r repo) clean(ctx context.Context, all bool) error {
	options, hidden := []string{"clean", "-ffdq"}, []string(nil)
	if all {
		options = append(options, "-x")
	} else {
		usual, err := r.usualJunk(ctx)
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
	_, err := r.run(ctx, options...)
	if err == nil || ctx.Err() != nil || r.openUnknown(ctx, hidden) != nil {
		return err
	}
	_, err = r.run(ctx, options...)
	return err
}

// openUnknown opens the folders that clean removes, and those that hold files that it removes. hidden has the options for what it leaves.
func (r repo) openUnknown(ctx context.Context, hidden []string) error {
	args := append([]string{"ls-files", "--others", "--directory", "-z"}, hidden...)
	text, err := r.bounded().run(ctx, args...)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(r.work)
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
