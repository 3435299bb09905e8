package workspace

import "context"

// Start returns the branch that the task starts from. there reports whether the workspace is still at that branch's own commit: nothing
// was committed, and it is not a round on an existing branch.
func (t *Tree) Start(ctx context.Context) (branch string, there bool, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		rec := o.state.Record
		head, err := o.branch.head(ctx)
		branch, there = rec.BaseBranch, rec.Trunk == "" && rec.Base != "" && head == rec.Base
		return err
	})
	return branch, there, err
}
