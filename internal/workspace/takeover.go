package workspace

import (
	"context"
)

// takeOver goes on with a workspace of an earlier attempt on this host.
func (j *preparation) takeOver(ctx context.Context) error {
	if _, err := j.look(ctx, j.m); err != nil {
		return err
	}
	if err := j.claim(ctx); err != nil {
		return err
	}
	head, err := j.head(ctx)
	if err != nil {
		return err
	}
	rec, there := &j.state.Record, j.found.Checkpoint
	if rec.BaseBranch == "" { // the state was lost
		if rec.BaseBranch = j.found.BaseBranch; rec.BaseBranch == "" {
			rec.BaseBranch = j.branch
		}
	}
	if j.found.Fence > 0 {
		rec.Pushed = j.found.Pushed
	}
	rec.Checkpoint = there
	j.state.Restored = j.state.Restored && rec.Fence == 0 // then it was made by this very attempt
	if there == "" {
		return j.announce(ctx)
	}
	ours := head != ""
	if ours {
		if ours, err = j.bare().isAncestor(ctx, there, head); err != nil {
			return err
		}
	}
	if !ours {
		if err := j.followCheckpoint(ctx, head, there); err != nil {
			return err
		}
	}
	return j.announce(ctx)
}

// followCheckpoint gives up what an earlier attempt has here: a later one has gone on elsewhere. What is given up, work
// that was not committed included, is kept under a ref of the git folder.
func (j *preparation) followCheckpoint(ctx context.Context, head, checkpoint string) error {
	r := j.bare()
	if head != "" {
		left, err := j.leave(ctx, head)
		if err != nil {
			return err
		}
		if _, err := r.run(ctx, "update-ref", "refs/longshift/left/"+left[:12], left); err != nil {
			return err
		}
		j.m.log.WarnContext(ctx, "workspace is behind the checkpoint and follows it", "task", j.id, "left", left, "checkpoint", checkpoint)
	}
	if _, err := r.run(ctx, "update-ref", j.branchRef(), checkpoint); err != nil {
		return err
	}
	if err := j.reset(ctx, checkpoint); err != nil {
		return err
	}
	j.state.Restored = true
	return j.handOver(ctx, checkpoint)
}

// leave makes a commit of everything that an earlier attempt has left.
func (j *preparation) leave(ctx context.Context, head string) (string, error) {
	tree, err := j.snapshot(ctx, head, nil)
	if err != nil {
		return "", err
	}
	return j.commitTree(ctx, tree, head, "Left by an earlier attempt of the task\n")
}
