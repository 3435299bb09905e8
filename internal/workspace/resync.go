package workspace

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/fault"
)

// Held makes sure that this attempt still has the task, by the fence on the remote. It fails with fault.Fenced when a later one has it,
// or the task has ended.
func (t *Tree) Held(ctx context.Context) error {
	return t.locked(ctx, func(o *opened) error {
		rem, err := o.m.remote(ctx, o.state.home())
		if err != nil {
			return err
		}
		return o.resync(ctx, rem)
	})
}

// resync learns what is on the remote after a push was refused. It fails when a later attempt has the task.
func (o *opened) resync(ctx context.Context, rem remote) error {
	l, err := o.m.list(ctx, rem, fenceRef(o.id), checkpointRef(o.id))
	if err != nil {
		return err
	}
	return o.adoptFence(ctx, rem, l)
}

// adoptFence takes over what the fence on the remote says about earlier writes of this attempt.
func (o *opened) adoptFence(ctx context.Context, rem remote, l listing) error {
	now, there := l.refs[fenceRef(o.id)], l.refs[checkpointRef(o.id)]
	if now == "" {
		return fault.New(fault.Fenced, "task %s has no fence on %s any more: it has ended", o.id, rem.name)
	}
	if now != o.state.FenceRef {
		rec, err := o.fetchFence(ctx, rem, l)
		if err != nil {
			return err
		}
		switch {
		case rec.Fence > o.fence:
			return fenced(o.id, o.fence, rec.Fence)
		case rec.Fence < o.fence:
			return fault.New(fault.Changed, "the fence of task %s on %s was set back to %d", o.id, rem.name, rec.Fence)
		}
		rec.Merged, rec.Squashed = o.state.Record.Merged, o.state.Record.Squashed // since then they are known here alone
		o.state.Record, o.state.FenceRef = rec, now
	}
	if err := o.state.Record.checkpointAt(there, o.id, rem); err != nil {
		return err
	}
	o.state.Record.Checkpoint = there // one that was left behind is brought up by the next write
	return o.save()
}

// checkpointAt refuses a checkpoint ref that is neither where the fence says nor where it was before that was written.
func (rec record) checkpointAt(there, id string, rem remote) error {
	if there == rec.Checkpoint || there == rec.Before {
		return nil
	}
	what := fmt.Sprintf("moved to %.10s", there)
	if there == "" {
		what = "removed"
	}
	out := "set " + checkpointRef(id) + " back to " + rec.Checkpoint
	if rec.Checkpoint == "" {
		out = "remove " + checkpointRef(id)
	}
	return fault.New(fault.Changed, "the checkpoint of task %s on %s was %s by somebody else", id, rem.name, what).WithHint("%s, then resume; or abandon", out)
}

// fetchFence brings the fence and the checkpoint into our git folder and reads the fence.
func (o *opened) fetchFence(ctx context.Context, rem remote, l listing) (record, error) {
	args := []string{"fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--", rem.url}
	for ref, local := range map[string]string{fenceRef(o.id): "refs/longshift/fence", checkpointRef(o.id): "refs/longshift/checkpoint"} {
		if l.refs[ref] != "" {
			args = append(args, "+"+ref+":"+local)
		}
	}
	if _, err := o.bare().call(ctx, rem, args...); err != nil {
		return record{}, fmt.Errorf("fetch the checkpoint: %w", err)
	}
	if l.refs[fenceRef(o.id)] == "" {
		return record{}, nil
	}
	return o.readFenceCommit(ctx, l.refs[fenceRef(o.id)])
}
