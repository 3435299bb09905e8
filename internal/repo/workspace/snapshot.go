package workspace

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/longshift/longshift/internal/disk"
)

// index writes trees from the work tree.
type index struct {
	core
	maker *commitMaker
}

// snapshot writes the tree that a commit would have now, without excluded files and those that narrow removes. The index is not changed. A
// file that can't be read fails a commit, but no snapshot.
func (x *index) snapshot(ctx context.Context, head string, exclude []string, narrow func(*changes) error) (tree string, err error) {
	tree, _, err = x.writeTree(ctx, head, exclude, narrow)
	return tree, err
}

// writeTree is snapshot, and returns the changes too.
func (x *index) writeTree(ctx context.Context, head string, exclude []string, narrow func(*changes) error) (string, changes, error) {
	copied, err := copyIndex(x.place.git())
	if err != nil {
		return "", changes{}, disk.Fault(fmt.Errorf("copy index: %w", err), x.place.git())
	}
	defer os.Remove(copied)
	w := workTree{x.work.with("GIT_INDEX_FILE=" + copied)}
	parent := head
	if x.state.Merging != nil {
		parent = x.state.Merging.Tree
	}
	c, err := w.stage(ctx, head, parent, exclude, x.withoutUnreadable(narrow))
	if err != nil {
		return "", c, err
	}
	tree, err := w.run(ctx, "write-tree")
	return tree, c, err
}

// Fingerprint identifies the state of the work tree, including the agent's own commits and a waiting merge. Two fingerprints are equal
// when nothing has changed between them but ignored files. Of a file that can't be read, name, size and time count. Restore restores a
// state.
func (t *Tree) Fingerprint(ctx context.Context) (string, error) {
	var print string
	err := t.at.reading(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil {
			return err
		}
		tree, c, err := o.index.writeTree(ctx, head, nil, nil)
		parts := []string{orNone(head), tree, orNone(o.agent.head())}
		if o.state.Merging != nil {
			parts = append(parts, o.state.Merging.Base)
		}
		if len(c.unreadable) > 0 {
			parts = append(parts, unreadableMark+hashOf(c.unreadable))
		}
		print = strings.Join(parts, " ")
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look at the work tree: %w", err)
	}
	return print, nil
}

func orNone(id string) string {
	if id == "" {
		return "none"
	}
	return id
}
