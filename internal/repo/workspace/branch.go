package workspace

import "context"

// branch is the task's own branch in our git directory.
type branch struct {
	core
}

// head is the last commit, "" when there is none.
func (b *branch) head(ctx context.Context) (string, error) {
	return b.bare.ref(ctx, b.state.branchRef())
}

// move sets the branch to a commit; "" removes the branch.
func (b *branch) move(ctx context.Context, to string) error {
	now, err := b.head(ctx)
	if err != nil || now == to {
		return err
	}
	args := []string{"update-ref", b.state.branchRef(), to}
	if to == "" {
		args = []string{"update-ref", "-d", b.state.branchRef()}
	}
	_, err = b.bare.run(ctx, args...)
	return err
}

func (b *branch) treeOf(ctx context.Context, commit string) (string, error) {
	if commit == "" {
		return b.state.emptyTree(), nil
	}
	return b.bare.run(ctx, "rev-parse", "--verify", commit+"^{tree}")
}
