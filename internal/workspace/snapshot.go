package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/disk"
)

// snapshot writes the tree that a commit of all but what is excluded or taken out by narrow would have now, and leaves the index alone.
func (o *opened) snapshot(ctx context.Context, head string, exclude []string, narrow func(*changes) error) (tree string, err error) {
	index, err := o.copyIndex()
	if err != nil {
		return "", disk.Fault(fmt.Errorf("copy index: %w", err), o.place.git())
	}
	defer os.Remove(index)
	r := o.repo.with("GIT_INDEX_FILE=" + index)
	parent := head
	if o.state.Merging != nil {
		parent = o.state.Merging.Tree
	}
	if _, err := r.stage(ctx, head, parent, exclude, narrow); err != nil {
		return "", err
	}
	return r.run(ctx, "write-tree")
}

// copyIndex copies what the index knows about files, which saves reading them, under a name of its own.
func (o *opened) copyIndex() (string, error) {
	data, err := os.ReadFile(filepath.Join(o.place.git(), "index"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	f, err := os.CreateTemp(o.place.git(), "snapshot-*.index")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil && len(data) == 0 {
		err = os.Remove(f.Name()) // git takes no empty file for an index
	}
	return f.Name(), err
}

// Status tells whether there is something to commit, and gives the last commit. Excluded paths don't count, and a merge
// that waits does.
func (t *Tree) Status(ctx context.Context, exclude ...string) (dirty bool, head string, err error) {
	err = t.reading(ctx, func(o *opened) error {
		if head, err = o.head(ctx); err != nil {
			return err
		}
		now, err := o.snapshot(ctx, head, exclude, o.withoutMade(ctx, head))
		if err != nil {
			return err
		}
		before, err := o.treeOf(ctx, head)
		dirty = now != before || o.state.Merging != nil
		return err
	})
	return dirty, head, err
}

func (o *opened) treeOf(ctx context.Context, commit string) (string, error) {
	if commit == "" {
		return o.emptyTree(), nil
	}
	return o.bare().run(ctx, "rev-parse", "--verify", commit+"^{tree}")
}

// Fingerprint names the state of the work tree: two are equal when nothing that is not ignored has changed between them,
// the agent's own commits and a merge that waits included. Restore brings a state back.
func (t *Tree) Fingerprint(ctx context.Context) (string, error) {
	var print string
	err := t.reading(ctx, func(o *opened) error {
		head, err := o.head(ctx)
		if err != nil {
			return err
		}
		tree, err := o.snapshot(ctx, head, nil, nil)
		parts := []string{orNone(head), tree, orNone(o.agentHead())}
		if o.state.Merging != nil {
			parts = append(parts, o.state.Merging.Base)
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
