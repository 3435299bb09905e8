package workspace

import (
	"context"
)

// takeOver continues with a workspace of an earlier attempt on this host.
func (j *preparation) takeOver(ctx context.Context) error {
	if _, err := j.look(ctx); err != nil {
		return err
	}
	if err := j.claim(ctx); err != nil {
		return err
	}
	head, err := j.o.branch.head(ctx)
	if err != nil {
		return err
	}
	rec, there := &j.o.state.Record, j.found.Checkpoint
	if rec.BaseBranch == "" { // the local state was lost
		if rec.BaseBranch = j.found.BaseBranch; rec.BaseBranch == "" {
			rec.BaseBranch = j.branch
		}
	}
	j.o.state.Restored = j.o.state.Restored && rec.Fence == 0 // then this attempt has created it
	other, err := j.otherRound(ctx)
	if err != nil {
		return err
	}
	if j.found.Fence > 0 {
		rec.Pushed, rec.Replaced, rec.Writes = j.found.Pushed, j.found.Replaced, j.found.Writes
	}
	rec.Checkpoint = there
	if other {
		err = j.leaveRound(ctx, head)
	} else if there != "" {
		err = j.catchUp(ctx, head, there)
	}
	if err != nil {
		return err
	}
	if head, err = j.o.branch.head(ctx); err != nil {
		return err
	}
	if err := j.followSnapshot(ctx, head, false); err != nil {
		return err
	}
	return j.announce(ctx)
}

// catchUp follows the checkpoint when it has moved on without this workspace.
func (j *preparation) catchUp(ctx context.Context, head, checkpoint string) error {
	if head != "" {
		if ours, err := j.o.bare.isAncestor(ctx, checkpoint, head); err != nil || ours {
			return err
		}
	}
	j.o.state.Record.Merged, j.o.state.Record.Squashed = j.found.Merged, j.found.Squashed
	return j.followCheckpoint(ctx, head, checkpoint)
}

// followCheckpoint drops the work of an earlier attempt here, because a later attempt has continued elsewhere. What is dropped,
// uncommitted work included, is kept under a ref of the git directory.
func (j *preparation) followCheckpoint(ctx context.Context, head, checkpoint string) error {
	if err := j.mayStart(ctx, checkpoint); err != nil {
		return err
	}
	if head != "" {
		left, err := j.o.index.leave(ctx, head)
		if err != nil {
			return err
		}
		j.log.WarnContext(ctx, "workspace is behind the checkpoint and follows it", "task", j.o.id, "left", left, "checkpoint", checkpoint)
	}
	j.o.state.Restored = true
	return j.o.steps.begin(ctx, step{Head: checkpoint, Work: checkpoint, Clean: true})
}

// leave commits everything in the work tree and keeps the commit under a ref of the git directory.
func (x *index) leave(ctx context.Context, head string) (string, error) {
	tree, err := x.snapshot(ctx, head, nil, nil)
	if err != nil {
		return "", err
	}
	left, err := x.maker.innerCommit(ctx, tree, "Left by an earlier attempt of the task\n", head)
	if err == nil {
		_, err = x.bare.run(ctx, "update-ref", "refs/longshift/left/"+left[:12], left)
	}
	return left, err
}
