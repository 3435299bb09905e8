package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Merge is how the base branch came into the task's branch.
type Merge struct {
	Base      string   // commit of the base branch
	UpToDate  bool     // the branch holds it already
	Commit    string   // the merge commit; "" when there is none, or not yet
	Conflicts []string // paths in conflict; the next Commit concludes the merge
	GaveWay   []string // paths whose uncommitted changes were replaced by the merge's; kept under refs/longshift/left/
}

// MergeBase merges the tip of the base branch on the remote into the task's branch. A merge without conflicts becomes a
// commit with both parents, which a later call with the key finds. One with conflicts leaves files with conflict markers
// in the work tree, with all else merged, and waits: the next Commit makes the merge commit of what the work tree holds
// then, and refuses while markers are left. Called while a merge waits it gives that one again. What was not committed
// stays where the merge leaves room for it. It fails with fault.NotFound when the base branch is gone, and with
// fault.Changed when it has no history in common with the task's branch.
func (t *Tree) MergeBase(ctx context.Context, key string) (m Merge, err error) {
	if err := checkKey(key); err != nil {
		return m, err
	}
	err = t.locked(ctx, func(o *opened) error {
		m, err = o.mergeBase(ctx, o.id+"/"+key)
		return err
	})
	if err != nil {
		return Merge{}, fmt.Errorf("merge the base branch: %w", err)
	}
	return m, nil
}

// AbortMerge gives a waiting merge up: the work tree is as it was before the merge. Without one nothing is done.
func (t *Tree) AbortMerge(ctx context.Context) error {
	err := t.locked(ctx, func(o *opened) error {
		if o.state.Merging == nil {
			return nil
		}
		head, err := o.head(ctx)
		if err != nil {
			return err
		}
		return o.begin(ctx, step{Head: head, Work: o.state.Merging.Before, Clean: true})
	})
	if err != nil {
		return fmt.Errorf("give the merge up: %w", err)
	}
	return nil
}

func (o *opened) mergeBase(ctx context.Context, mark string) (Merge, error) {
	if m := o.state.Merging; m != nil {
		return Merge{Base: m.Base, Conflicts: m.paths()}, nil
	}
	head, err := o.head(ctx)
	if err != nil {
		return Merge{}, err
	}
	if head == "" {
		return Merge{}, fault.New(fault.Conflict, "task %s has no commit to merge into", o.id)
	}
	if c, err := o.findCommit(ctx, head, mark); err != nil || c.ID != "" {
		if err != nil {
			return Merge{}, err
		}
		base, err := o.bare().run(ctx, "rev-parse", "--verify", c.ID+"^2")
		return Merge{Base: base, Commit: c.ID}, err
	}
	base, err := o.fetchBase(ctx)
	if err != nil {
		return Merge{}, err
	}
	if there, err := o.bare().isAncestor(ctx, base, head); err != nil || there {
		return Merge{Base: base, UpToDate: there}, err
	}
	if err := o.related(ctx, head, base); err != nil {
		return Merge{}, err
	}
	m, err := o.mergeNamed(ctx, head, base)
	if err != nil {
		return Merge{}, err
	}
	return o.applyMerge(ctx, head, mark, m)
}

// applyMerge brings a merge into the work tree, and onto the branch when nothing is in conflict.
func (o *opened) applyMerge(ctx context.Context, head, mark string, m *merging) (Merge, error) {
	out := Merge{Base: m.Base, Conflicts: m.paths()}
	work, gaveWay, err := o.overlay(ctx, head, m)
	if err != nil {
		return Merge{}, err
	}
	if out.GaveWay = gaveWay; len(gaveWay) > 0 {
		if _, err := o.leave(ctx, head); err != nil {
			return Merge{}, err
		}
		o.m.log.WarnContext(ctx, "changes that were not committed gave way to a merge", "task", o.id, "files", gaveWay)
	}
	next := step{Head: head, Work: work, Merging: m}
	if len(out.Conflicts) == 0 {
		message := fmt.Sprintf("Merge branch '%s' into %s", o.state.Record.BaseBranch, o.state.Record.Branch)
		if out.Commit, err = o.commitTree(ctx, m.Tree, withTrailer(message, mark), o.dates(), head, m.Base); err != nil {
			return Merge{}, err
		}
		next.Head, next.Merging = out.Commit, nil
	}
	o.addMerged(m.Base)
	return out, o.begin(ctx, next)
}

// fetchBase brings the base branch into the mirror and gives its tip.
func (o *opened) fetchBase(ctx context.Context) (string, error) {
	rem, err := o.m.remote(ctx, o.state.Repository)
	if err != nil {
		return "", err
	}
	branch := o.state.Record.BaseBranch
	l, err := o.m.list(ctx, rem, "refs/heads/"+branch)
	if err != nil {
		return "", err
	}
	tip := l.refs["refs/heads/"+branch]
	if tip == "" {
		return "", baseGone(rem, branch)
	}
	if tip, err = o.m.mirrorBase(ctx, rem, o.state.Mirror, o.state.Format, branch, tip); err != nil {
		return "", err
	}
	return tip, o.m.keep(ctx, o.state.Mirror, o.id, tip)
}

func baseGone(rem remote, branch string) error {
	return fault.New(fault.NotFound, "the base branch %q is not on %s any more", branch, rem.name).
		WithHint("give the pull request another base branch, or close it")
}

// related makes sure that there is a commit both have.
func (o *opened) related(ctx context.Context, head, base string) error {
	common, err := o.common(ctx, head, base)
	if err == nil && common == "" {
		err = fault.New(fault.Changed, "the base branch %q and the branch %q have no commit in common",
			o.state.Record.BaseBranch, o.state.Record.Branch).WithHint("the base branch was made anew; start the task anew too")
	}
	return err
}

// common gives the last commit that both have, "" when there is none.
func (o *opened) common(ctx context.Context, a, b string) (string, error) {
	id, err := o.bare().run(ctx, "merge-base", a, b)
	if exitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimSpace(id), err
}
