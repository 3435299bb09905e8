package workspace

import (
	"context"
	"slices"

	"github.com/longshift/longshift/task"
)

func (s *state) save() error { return s.at.writeState(*s) }

// home is the repository that has the task's branch and refs.
func (s *state) home() task.Repository {
	if s.Fork != nil {
		return *s.Fork
	}
	return s.Repository
}

func (s *state) empty() bool { return s.Record.Base == "" }

func (s *state) branchRef() string { return "refs/heads/" + s.Record.Branch }

func (s *state) emptyTree() string { return emptyTree(s.Format) }

func emptyTree(format string) string {
	if format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// or returns the commit, or the empty tree when it is "".
func (s *state) or(commit string) string {
	if commit == "" {
		return s.emptyTree()
	}
	return commit
}

// under returns the tree that the work tree is compared with: that of a waiting merge, otherwise that of the last commit.
func (s *state) under(head string) string {
	if s.Merging != nil {
		return s.Merging.Tree
	}
	return s.or(head)
}

// addMerged records a merged tip. Recording it before the merge is committed does no harm.
func (s *state) addMerged(base string) {
	if list := s.Record.Merged; !slices.Contains(list, base) {
		s.Record.Merged = slices.Concat(list, []string{base})
	}
}

// isMerge reports whether a commit with these parents merges the base branch.
func (s *state) isMerge(parents []string) bool {
	return len(parents) == 2 && slices.Contains(s.Record.Merged, parents[1])
}

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
