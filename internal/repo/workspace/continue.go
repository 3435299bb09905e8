package workspace

import (
	"context"

	"github.com/longshift/longshift/internal/fault"
)

// A task whose branch is already on the remote continues there in rounds. The refs of a round are removed at its end. A round with
// neither fence nor checkpoint is therefore new and starts at the branch's tip.

// startAtTip uses the tip of the task's branch as the start.
func (j *preparation) startAtTip(ctx context.Context) error {
	branch := j.spec.Branch
	if j.listing.refs["refs/heads/"+branch] == "" {
		return fault.New(fault.NotFound, "branch %q is not on %s any more", branch, j.home.name).
			WithHint("bring the branch back, or start the task anew")
	}
	if j.tip == "" {
		return baseGone(j.rem, j.spec.Base)
	}
	tip, err := j.mirrors.tip(ctx, j.home, j.o.state.Mirror, j.o.id, branch)
	if err != nil {
		return err
	}
	rec := &j.o.state.Record
	rec.Branch, rec.BaseBranch, rec.Base, rec.Trunk, rec.Pushed, rec.Merged = branch, j.branch, tip, j.tip, tip, nil
	return nil
}

// otherRound reports whether the workspace on this host belongs to another round than this one. If so it adopts the start of the new
// round.
func (j *preparation) otherRound(ctx context.Context) (bool, error) {
	rec := &j.o.state.Record
	switch {
	case !j.spec.Continue:
		return false, nil
	case j.found.Fence == 0 && j.found.Checkpoint == "":
		return true, j.startAtTip(ctx)
	case j.found.Fence > 0 && rec.Base != j.found.Base:
		rec.Branch, rec.BaseBranch, rec.Base = j.found.Branch, j.found.BaseBranch, j.found.Base
		rec.Trunk, rec.Merged = j.found.Trunk, j.found.Merged
		return true, nil
	case j.found.Fence > 0 && rec.Trunk == "": // the local state was lost
		rec.Trunk = j.found.Trunk
	}
	return false, nil
}

// leaveRound turns the workspace of an ended round into one for the current round. Commits on top of its start stay on the branch.
// Everything else, which may be half removed, is kept under a ref of the git directory.
func (j *preparation) leaveRound(ctx context.Context, head string) error {
	rec := j.o.state.Record
	if err := j.o.enforce(ctx); err != nil { // the branch may have been renamed
		return err
	}
	start := rec.Base
	if rec.Checkpoint != "" {
		start = rec.Checkpoint
	}
	if err := j.mayStart(ctx, start); err != nil {
		return err
	}
	if head != "" {
		ahead, err := j.o.bare.isAncestor(ctx, start, head)
		if err != nil {
			return err
		}
		left, err := j.o.index.leave(ctx, head)
		if err != nil {
			return err
		}
		j.log.InfoContext(ctx, "workspace of an ended round starts anew", "task", j.o.id, "left", left, "start", start)
		if ahead {
			start = head
		}
	}
	if err := j.keepBase(ctx); err != nil {
		return err
	}
	j.o.state.Restored = rec.Checkpoint != ""
	return j.o.steps.begin(ctx, step{Head: start, Work: start, Clean: true})
}

// recover completes operations that a crashed worker has left unfinished. When the state was lost, it reconstructs merges from refs.
func (o *opened) recover(ctx context.Context) error {
	if o.state.Step != nil || o.state.Merging != nil || o.state.Record.Fence > 0 {
		return o.steps.finish(ctx)
	}
	kept, err := o.mirrors.kept(ctx, o.state.Mirror, o.id)
	if err != nil {
		return err
	}
	if len(o.state.Record.Merged) == 0 {
		o.state.Record.Merged = kept
	}
	base, err := o.bare.ref(ctx, mergingRef)
	if err != nil || base == "" {
		return err
	}
	head, err := o.branch.head(ctx)
	if err == nil {
		o.state.Merging, err = o.merges.named(ctx, head, base)
	}
	return err
}

// keepBase keeps a ref to the commits that the task started from.
func (j *preparation) keepBase(ctx context.Context) error {
	rec, r := j.o.state.Record, j.o.bare
	if rec.Trunk != "" {
		if err := r.unlessHas(ctx, rec.Trunk, j.mirrors.keep(ctx, j.o.state.Mirror, j.o.id, rec.Trunk)); err != nil {
			return err
		}
	}
	if rec.Base == "" {
		return nil
	}
	if err := r.unlessHas(ctx, rec.Base, j.mirrors.pin(ctx, j.o.state.Mirror, j.o.id, rec.Base)); err != nil {
		return err
	}
	_, err := r.run(ctx, "update-ref", "refs/longshift/base", rec.Base)
	return err
}
