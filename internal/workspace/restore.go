package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Restore brings back the state that a fingerprint names, uncommitted work included. Ignored files stay as they are.
func (t *Tree) Restore(ctx context.Context, fingerprint string) error {
	f := strings.Fields(fingerprint)
	if len(f) < 3 || len(f) > 4 || !isID(f[1]) || !isID(f[len(f)-1]) && len(f) == 4 {
		return fault.New(fault.Internal, "%q is not a fingerprint", fingerprint)
	}
	head := onlyID(f[0])
	err := t.locked(ctx, func(o *opened) error {
		if o.state.Merging != nil || len(f) == 4 {
			return o.restoreMerge(ctx, head, f[1], strings.Join(f[3:], ""))
		}
		if err := o.moveBranch(ctx, head); err != nil {
			return err
		}
		if err := o.leaveSubmodules(ctx, f[1]); err != nil {
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
			args = []string{"read-tree", "-i", "-m", head}
		}
		if _, err := o.repo.run(ctx, args...); err != nil {
			return err
		}
		return o.handOverAll(ctx, head)
	})
	if err != nil {
		return fmt.Errorf("restore the work tree: %w", err)
	}
	return nil
}

// restoreMerge is Restore where a merge waits, now or then.
func (o *opened) restoreMerge(ctx context.Context, head, tree, base string) (err error) {
	m := o.state.Merging
	now, err := o.head(ctx)
	switch {
	case err != nil:
		return err
	case base == "":
		m = nil
	case m == nil || m.Base != base || now != head:
		if m, err = o.mergeNamed(ctx, head, base); err != nil {
			return err
		}
	}
	return o.begin(ctx, step{Head: head, Work: tree, Clean: true, Merging: m})
}

// Reset makes the work tree what the commit has: changes and files that are not ignored are gone, and so is a merge that
// waits. "" names the state before the first commit.
func (t *Tree) Reset(ctx context.Context, commit string) error {
	err := t.locked(ctx, func(o *opened) error {
		if commit != "" && !(isID(commit) && o.bare().has(ctx, commit)) {
			return fault.New(fault.Input, "commit %q is not in the workspace of task %s", commit, o.id)
		}
		if o.state.Merging != nil {
			return o.begin(ctx, step{Head: commit, Work: o.or(commit), Clean: true})
		}
		if err := o.moveBranch(ctx, commit); err != nil {
			return err
		}
		if err := o.reset(ctx, commit); err != nil {
			return err
		}
		return o.handOverAll(ctx, commit)
	})
	if err != nil {
		return fmt.Errorf("reset the work tree: %w", err)
	}
	return nil
}

// reset makes index and work tree what the commit has.
func (o *opened) reset(ctx context.Context, commit string) error {
	if err := o.leaveSubmodules(ctx, o.or(commit)); err != nil {
		return err
	}
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
