package workspace

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/fault"
)

// Merge is the result of merging the base branch into the task's branch.
type Merge struct {
	Base      string   // commit of the base branch
	UpToDate  bool     // the branch already contains it
	Commit    string   // the merge commit; "" when there is none, or not yet
	Conflicts []string // paths in conflict; the next Commit concludes the merge
	GaveWay   []string // paths whose uncommitted changes the merge has replaced; kept under refs/longshift/left/
}

// merges merges the base branch into the task's branch.
type merges struct {
	core
	branch  *branch
	history *history
	index   *index
	objects *lfsObjects
	commits *commits
	steps   *steps
	maker   *commitMaker
	remotes *remotes
	mirrors *mirrors
}

// MergeBase merges the tip of the remote's base branch into the task's branch. A merge without conflicts becomes a merge commit, which a
// later call with the same key finds. A merge with conflicts leaves conflict markers in the work tree, with everything else merged, and
// waits: the next Commit makes the merge commit from the work tree and refuses while markers are left. While a merge waits, MergeBase
// returns that merge again. Uncommitted changes stay unless the merge changes the same files. It fails with fault.NotFound when the base
// branch is gone, and with fault.Changed when it shares no history with the task's branch.
func (t *Tree) MergeBase(ctx context.Context, key string) (m Merge, err error) {
	if err := checkKey(key); err != nil {
		return m, err
	}
	err = t.at.locked(ctx, func(o *opened) error {
		m, err = o.merges.start(ctx, o.id+"/"+key)
		return err
	})
	if err != nil {
		return Merge{}, fmt.Errorf("merge the base branch: %w", err)
	}
	return m, nil
}

// AbortMerge aborts a waiting merge and restores the work tree. Without one it does nothing.
func (t *Tree) AbortMerge(ctx context.Context) error {
	return wrap("give the merge up", t.at.locked(ctx, func(o *opened) error {
		if o.state.Merging == nil {
			return nil
		}
		head, err := o.branch.head(ctx)
		if err != nil {
			return err
		}
		return o.steps.begin(ctx, step{Head: head, Work: o.state.Merging.Before, Clean: true})
	}))
}

func (ms *merges) start(ctx context.Context, mark string) (Merge, error) {
	if m := ms.state.Merging; m != nil {
		return Merge{Base: m.Base, Conflicts: m.paths()}, nil
	}
	head, err := ms.branch.head(ctx)
	if err != nil {
		return Merge{}, err
	}
	if head == "" {
		return Merge{}, fault.New(fault.Conflict, "task %s has no commit to merge into", ms.id)
	}
	all, err := ms.commits.marked(ctx, head)
	if err != nil {
		return Merge{}, err
	}
	if c, err := ms.commits.find(ctx, head, mark, all); err != nil || c.ID != "" {
		if err != nil {
			return Merge{}, err
		}
		base, err := ms.bare.run(ctx, "rev-parse", "--verify", c.ID+"^2")
		return Merge{Base: base, Commit: c.ID}, err
	}
	base, err := ms.fetchBase(ctx)
	if err != nil {
		return Merge{}, err
	}
	if there, err := ms.bare.isAncestor(ctx, base, head); err != nil || there {
		return Merge{Base: base, UpToDate: there}, err
	}
	if err := ms.related(ctx, head, base); err != nil {
		return Merge{}, err
	}
	m, err := ms.named(ctx, head, base)
	if err != nil {
		return Merge{}, err
	}
	return ms.apply(ctx, head, mark, m)
}

// apply brings a merge into the work tree, and onto the branch when there are no conflicts.
func (ms *merges) apply(ctx context.Context, head, mark string, m *merging) (Merge, error) {
	out := Merge{Base: m.Base, Conflicts: m.paths()}
	work, gaveWay, err := ms.index.overlay(ctx, head, m)
	if err != nil {
		return Merge{}, err
	}
	if out.GaveWay = gaveWay; len(gaveWay) > 0 {
		if _, err := ms.index.leave(ctx, head); err != nil {
			return Merge{}, err
		}
		ms.log.WarnContext(ctx, "changes that were not committed gave way to a merge", "task", ms.id, "files", gaveWay)
	}
	next := step{Head: head, Work: work, Merging: m}
	if len(out.Conflicts) == 0 {
		message := fmt.Sprintf("Merge branch '%s' into %s", ms.state.Record.BaseBranch, ms.state.Record.Branch)
		if out.Commit, err = ms.maker.commitTree(ctx, m.Tree, withTrailer(message, mark), ms.maker.dates(), head, m.Base); err != nil {
			return Merge{}, err
		}
		next.Head, next.Merging = out.Commit, nil
	}
	ms.state.addMerged(m.Base)
	return out, ms.steps.begin(ctx, next)
}

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
	head, err := ms.branch.head(ctx)
	if err != nil {
		return err
	}
	m, err := ms.named(ctx, to, base)
	if err != nil {
		return err
	}
	if ms.state.Merging != nil {
		m.Before = ms.state.Merging.Before
	}
	return ms.steps.begin(ctx, step{Head: to, Undone: head, Merging: m})
}
