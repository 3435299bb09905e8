package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// snapshot writes the tree that a commit would have now, and leaves the index alone.
func (o *opened) snapshot(ctx context.Context, head string, exclude []string) (tree string, err error) {
	index, err := o.copyIndex()
	if err != nil {
		return "", diskFault(fmt.Errorf("copy index: %w", err), o.place.git())
	}
	defer os.Remove(index)
	r := o.repo.with("GIT_INDEX_FILE=" + index)
	if _, err := r.stage(ctx, head, head, exclude); err != nil {
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

// Status tells whether there is something to commit, and gives the last commit. Excluded paths don't count.
func (t *Tree) Status(ctx context.Context, exclude ...string) (dirty bool, head string, err error) {
	err = t.reading(ctx, func(o *opened) error {
		if head, err = o.head(ctx); err != nil {
			return err
		}
		now, err := o.snapshot(ctx, head, exclude)
		if err != nil {
			return err
		}
		before, err := o.treeOf(ctx, head)
		dirty = now != before
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
// the agent's own commits included. Restore brings a state back.
func (t *Tree) Fingerprint(ctx context.Context) (string, error) {
	var print string
	err := t.reading(ctx, func(o *opened) error {
		head, err := o.head(ctx)
		if err != nil {
			return err
		}
		tree, err := o.snapshot(ctx, head, nil)
		print = strings.Join([]string{orNone(head), tree, orNone(o.agentHead())}, " ")
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

// Restore brings back the state that a fingerprint names, uncommitted work included. Ignored files stay as they are.
func (t *Tree) Restore(ctx context.Context, fingerprint string) error {
	f := strings.Fields(fingerprint)
	if len(f) != 3 || !isID(f[1]) {
		return fault.New(fault.Internal, "%q is not a fingerprint", fingerprint)
	}
	head := onlyID(f[0])
	err := t.locked(ctx, func(o *opened) error {
		if err := o.moveBranch(ctx, head); err != nil {
			return err
		}
		if _, err := o.repo.run(ctx, "read-tree", "--reset", "-u", f[1]); err != nil {
			return err
		}
		if _, err := o.repo.run(ctx, "clean", "-ffdq"); err != nil {
			return err
		}
		args := []string{"read-tree", "--empty"}
		if head != "" {
			args = []string{"read-tree", "-m", head}
		}
		if _, err := o.repo.run(ctx, args...); err != nil {
			return err
		}
		return o.handOver(ctx, head)
	})
	if err != nil {
		return fmt.Errorf("restore the work tree: %w", err)
	}
	return nil
}

// Reset makes the work tree what the commit has: changes and files that are not ignored are gone. "" names the state
// before the first commit.
func (t *Tree) Reset(ctx context.Context, commit string) error {
	err := t.locked(ctx, func(o *opened) error {
		if commit != "" && !(isID(commit) && o.bare().has(ctx, commit)) {
			return fault.New(fault.Input, "commit %q is not in the workspace of task %s", commit, o.id)
		}
		if err := o.moveBranch(ctx, commit); err != nil {
			return err
		}
		if err := o.reset(ctx, commit); err != nil {
			return err
		}
		return o.handOver(ctx, commit)
	})
	if err != nil {
		return fmt.Errorf("reset the work tree: %w", err)
	}
	return nil
}

// reset makes index and work tree what the commit has.
func (o *opened) reset(ctx context.Context, commit string) error {
	args := []string{"read-tree", "--reset", "-u", o.or(commit)}
	if commit != "" {
		args = []string{"reset", "--hard", "--quiet", commit}
	}
	if _, err := o.repo.run(ctx, args...); err != nil {
		return err
	}
	_, err := o.repo.run(ctx, "clean", "-ffdq")
	return err
}

// moveBranch puts the branch where it was; "" means before its first commit.
func (o *opened) moveBranch(ctx context.Context, to string) error {
	now, err := o.head(ctx)
	if err != nil || now == to {
		return err
	}
	args := []string{"update-ref", o.branchRef(), to}
	if to == "" {
		args = []string{"update-ref", "-d", o.branchRef()}
	}
	_, err = o.bare().run(ctx, args...)
	return err
}
