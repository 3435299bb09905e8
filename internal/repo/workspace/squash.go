package workspace

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Squash replaces everything after base ("" for the task's start) with one commit. A repeated call finds that commit.
func (t *Tree) Squash(ctx context.Context, base, message string) (c Commit, err error) {
	err = t.at.locked(ctx, func(o *opened) error {
		base = cmp.Or(base, o.state.Record.Base)
		if o.state.Merging != nil || len(o.state.Record.Merged) > 0 {
			return fault.New(fault.Conflict, "task %s has merged %s, and would lose that in one commit", o.id, o.state.Record.BaseBranch)
		}
		head, err := o.branch.head(ctx)
		if err != nil {
			return err
		}
		c, err = o.commits.squash(ctx, head, base, withTrailer(message, o.id+"/squash"))
		return err
	})
	if err != nil {
		return Commit{}, fmt.Errorf("squash: %w", err)
	}
	return c, nil
}

func (cs *commits) squash(ctx context.Context, head, base, message string) (Commit, error) {
	none := Commit{ID: head}
	if head == base || head == "" {
		return none, nil
	}
	if base != "" {
		if ok, err := cs.bare.isAncestor(ctx, base, head); err != nil || !ok {
			return none, fmt.Errorf("commit %s is not before the branch's head: %w", base, err)
		}
	}
	now, err := cs.bare.run(ctx, "log", "-1", "--format=%T%x00%P%x00%B", head)
	if err != nil {
		return none, err
	}
	f := strings.SplitN(now, "\x00", 3)
	before, err := cs.branch.treeOf(ctx, base)
	if err != nil || before == f[0] {
		return none, err
	}
	if f[1] == base && strings.TrimSpace(f[2]) == strings.TrimSpace(message) {
		return cs.describe(ctx, base, head)
	}
	id, err := cs.maker.commitTree(ctx, f[0], message, cs.maker.dates(), base)
	if err != nil {
		return none, err
	}
	cs.state.Record.Squashed = head
	if err := cs.state.save(); err != nil {
		return none, err
	}
	if err := cs.bare.setRef(ctx, cs.state.branchRef(), id, head); err != nil {
		return none, err
	}
	return cs.describe(ctx, base, id)
}
