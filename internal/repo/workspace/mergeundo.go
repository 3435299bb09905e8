package workspace

import "context"

// after returns the tip of the waiting merge, or else the last one merged after the commit; "" when there is none.
func (ms *merges) after(ctx context.Context, commit string) (string, error) {
	if ms.state.Merging != nil {
		return ms.state.Merging.Base, nil
	}
	head, err := ms.branch.head(ctx)
	if err != nil || commit == "" || head == commit {
		return "", err
	}
	list, err := ms.history.cameIn(ctx, commit, head)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[len(list)-1], nil
}

// undo moves the branch to the commit before a merge and leaves the work tree alone. The merge then waits again.
func (ms *merges) undo(ctx context.Context, to, base string) error {
	m, err := ms.named(ctx, to, base)
	if err != nil {
		return err
	}
	if ms.state.Merging != nil {
		m.Before = ms.state.Merging.Before
	}
	return ms.steps.begin(ctx, step{Head: to, Merging: m})
}
