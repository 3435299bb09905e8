package workspace

import "context"

// Start gives the branch that the task starts from, and whether its workspace stands at that branch's own commit still: nothing has been
// committed, and it is no round on a branch of ours.
func (t *Tree) Start(ctx context.Context) (branch string, there bool, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		rec := o.state.Record
		head, err := o.branch.head(ctx)
		branch, there = rec.BaseBranch, rec.Trunk == "" && rec.Base != "" && head == rec.Base
		return err
	})
	return branch, there, err
}
