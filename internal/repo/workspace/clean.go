package workspace

import (
	"context"
	"os"
	"path"
	"strings"

	"github.com/longshift/longshift/internal/remove"
)

// clean removes the files of the work tree that the index does not have, and those that are ignored only if ignored is set. Git can't
// remove what lies in folders that are closed to their owner, as module caches are, so these are opened then.
func (r repo) clean(ctx context.Context, ignored bool) error {
	options := "-ffdq"
	if ignored {
		options += "x"
	}
	_, err := r.run(ctx, "clean", options)
	if err == nil || ctx.Err() != nil || r.openUnknown(ctx, ignored) != nil {
		return err
	}
	_, err = r.run(ctx, "clean", options)
	return err
}

// openUnknown opens the folders that clean removes, and those that hold files that it removes.
func (r repo) openUnknown(ctx context.Context, ignored bool) error {
	args := []string{"ls-files", "--others", "--directory", "-z"}
	if !ignored {
		args = append(args, "--exclude-standard")
	}
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
