package workspace

import (
	"context"
)

// step is a change of branch, work tree and index that is to happen as a whole. It is written down before it begins, so
// that whoever opens the workspace after a crash carries it out to its end.
type step struct {
	Head    string   `json:"head"`              // last commit of the branch afterwards, "" for none
	Work    string   `json:"work,omitempty"`    // tree that the work tree gets; "" leaves it as it is
	Clean   bool     `json:"clean,omitempty"`   // files that are neither in Work nor ignored are removed
	Merging *merging `json:"merging,omitempty"` // the merge that waits afterwards
}

func (o *opened) begin(ctx context.Context, s step) error {
	if err := o.fillFor(ctx, s); err != nil {
		return err
	}
	o.state.Step = &s
	if err := o.save(); err != nil {
		return err
	}
	return o.finish(ctx)
}

// finish carries out what was begun. The caller holds the task's lock.
func (o *opened) finish(ctx context.Context) error {
	s := o.state.Step
	if s == nil {
		return nil
	}
	if err := o.keepMerging(ctx, s.Merging); err != nil {
		return err
	}
	if err := o.moveBranch(ctx, s.Head); err != nil {
		return err
	}
	if s.Work != "" {
		if err := o.leaveSubmodules(ctx, s.Work); err != nil {
			return err
		}
		if _, err := o.repo.run(ctx, "read-tree", "--reset", "-u", s.Work); err != nil {
			return err
		}
	}
	if s.Clean {
		if _, err := o.repo.run(ctx, "clean", "-ffdq"); err != nil {
			return err
		}
	}
	o.state.Merging = s.Merging
	if _, err := o.repo.run(ctx, "read-tree", "-i", "-m", o.under(s.Head)); err != nil {
		return err
	}
	if err := o.handOverAll(ctx, s.Head); err != nil {
		return err
	}
	o.state.Step = nil
	return o.save()
}

// under is the tree that the work tree is compared with: what a waiting merge has made, else the last commit's.
func (o *opened) under(head string) string {
	if o.state.Merging != nil {
		return o.state.Merging.Tree
	}
	return o.or(head)
}

// mergingRef names the commit of a waiting merge, for the case that the state is lost.
const mergingRef = "refs/longshift/merging"

func (o *opened) keepMerging(ctx context.Context, m *merging) error {
	args := []string{"update-ref", "-d", mergingRef}
	if m != nil {
		args = []string{"update-ref", mergingRef, m.Base}
	}
	_, err := o.bare().run(ctx, args...)
	return err
}
