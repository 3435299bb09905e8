package workspace

import (
	"context"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Restore restores the state that a fingerprint names, uncommitted work included. Ignored files, and those that no project commits, stay as
// they are.
func (t *Tree) Restore(ctx context.Context, fingerprint string) error {
	f := slices.DeleteFunc(strings.Fields(fingerprint), func(part string) bool { return strings.HasPrefix(part, unreadableMark) })
	if len(f) < 3 || len(f) > 4 || !isID(f[1]) || !isID(f[len(f)-1]) && len(f) == 4 {
		return fault.New(fault.Internal, "%q is not a fingerprint", fingerprint)
	}
	head := onlyID(f[0])
	return wrap("restore the work tree", t.at.locked(ctx, func(o *opened) error {
		if o.state.Merging != nil || len(f) == 4 {
			return o.merges.restore(ctx, head, f[1], strings.Join(f[3:], ""))
		}
		if err := o.branch.move(ctx, head); err != nil {
			return err
		}
		if err := o.submodules.leave(ctx, f[1]); err != nil {
			return err
		}
		if _, err := o.work.run(ctx, "read-tree", "--reset", "-u", f[1]); err != nil {
			return err
		}
		if err := o.work.clean(ctx, false); err != nil {
			return err
		}
		args := []string{"read-tree", "--empty"}
		if head != "" {
			args = []string{"read-tree", "-i", "-m", head}
		}
		if _, err := o.work.run(ctx, args...); err != nil {
			return err
		}
		return o.steps.show(ctx, head, f[1])
	}))
}

// restore is Restore for the case that a merge waits, now or in the restored state.
func (ms *merges) restore(ctx context.Context, head, tree, base string) (err error) {
	m := ms.state.Merging
	now, err := ms.branch.head(ctx)
	switch {
	case err != nil:
		return err
	case base == "":
		m = nil
	case m == nil || m.Base != base || now != head:
		if m, err = ms.named(ctx, head, base); err != nil {
			return err
		}
	}
	return ms.steps.begin(ctx, step{Head: head, Work: tree, Clean: true, Merging: m})
}
