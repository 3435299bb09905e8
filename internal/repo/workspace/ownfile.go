package workspace

import (
	"context"
	"os"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
)

// Query runs a git command that only reads, on the commits of the task, and returns what it prints.
func (t *Tree) Query(ctx context.Context, args ...string) (out string, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		out, err = o.bare.run(ctx, args...)
		return err
	})
	return out, wrap("look at the commits", err)
}

// CommitFile commits one file that Longshift itself has written, on top of the last commit, and nothing else. When the last commit holds
// the file already, that commit is returned. Changes of the work tree that were not committed are given up.
func (t *Tree) CommitFile(ctx context.Context, path string, data []byte, message string) (c Commit, err error) {
	err = t.at.locked(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil {
			return err
		}
		if o.state.Merging != nil {
			return fault.New(fault.Conflict, "a merge of %s waits for its commit", o.state.Record.BaseBranch)
		}
		tree, err := o.index.with(ctx, head, path, data)
		if err != nil {
			return err
		}
		if now, err := o.branch.treeOf(ctx, head); err != nil || now == tree {
			c.ID = head
			return err
		}
		id, err := o.commits.maker.commitTree(ctx, tree, withTrailer(message, o.id+"/"+path), o.commits.maker.dates(), head)
		if err != nil {
			return err
		}
		if err := o.steps.begin(ctx, step{Head: id, Work: id}); err != nil {
			return err
		}
		c, err = o.commits.count(ctx, head, id)
		return err
	})
	return c, wrap("commit "+path, err)
}

// with returns the tree of a commit with one file added or replaced.
func (x *index) with(ctx context.Context, commit, path string, data []byte) (string, error) {
	blob, err := x.bare.feed(ctx, string(data), "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	copied, err := copyIndex(x.place.git())
	if err != nil {
		return "", disk.Fault(err, x.place.git())
	}
	defer os.Remove(copied)
	r := x.bare.with("GIT_INDEX_FILE=" + copied)
	if _, err := r.run(ctx, "read-tree", commit); err != nil {
		return "", err
	}
	if _, err := r.run(ctx, "update-index", "--add", "--replace", "--cacheinfo", "100644,"+blob+","+path); err != nil {
		return "", err
	}
	return r.run(ctx, "write-tree")
}

// CheckOut gives the work tree what the last commit holds, and nothing more: files that were not committed go, ignored ones too.
func (t *Tree) CheckOut(ctx context.Context) error {
	return wrap("check out the last commit", t.at.locked(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil {
			return err
		}
		if err := o.steps.begin(ctx, step{Head: head, Work: o.state.under(head), Clean: true, Merging: o.state.Merging}); err != nil {
			return err
		}
		if err := o.work.clean(ctx, true); err != nil {
			return err
		}
		for _, s := range o.state.Submodules.full() {
			if err := o.submodules.workOf(s).clean(ctx, true); err != nil {
				return err
			}
		}
		return o.submodules.putBack(ctx)
	}))
}
