package workspace

import (
	"context"
	"fmt"
	"slices"

	"github.com/longshift/longshift/internal/fault"
)

// Held checks the fence on the remote. It fails with fault.Fenced when a later attempt has the task, or when the task has ended.
func (t *Tree) Held(ctx context.Context) error {
	return t.at.locked(ctx, func(o *opened) error {
		return o.refs.held(ctx)
	})
}

func (t *taskRefs) held(ctx context.Context) error {
	rem, err := t.remotes.find(ctx, t.state.home())
	if err != nil {
		return err
	}
	return t.resync(ctx, rem)
}

// resync reads the remote's state after a push was rejected. It fails when a later attempt has the task.
func (t *taskRefs) resync(ctx context.Context, rem remote) error {
	l, err := rem.list(ctx, fenceRef(t.id), checkpointRef(t.id))
	if err != nil {
		return err
	}
	return t.adoptFence(ctx, rem, l)
}

// adoptFence copies the record of earlier writes of this attempt from the fence on the remote.
func (t *taskRefs) adoptFence(ctx context.Context, rem remote, l listing) error {
	now, there := l.refs[fenceRef(t.id)], l.refs[checkpointRef(t.id)]
	if now == "" {
		return fault.New(fault.Fenced, "task %s has no fence on %s any more: it has ended", t.id, rem.name)
	}
	if now != t.state.FenceRef {
		rec, err := t.fetchFence(ctx, rem, l)
		if err != nil {
			return err
		}
		switch {
		case rec.Fence > t.fence:
			return fenced(t.id, t.fence, rec.Fence)
		case rec.Fence < t.fence:
			return fault.New(fault.Changed, "the fence of task %s on %s was set back to %d", t.id, rem.name, rec.Fence)
		}
		rec.Merged, rec.Squashed = t.state.Record.Merged, t.state.Record.Squashed // later values are known only here
		t.state.Record, t.state.FenceRef = rec, now
	}
	if err := t.state.Record.checkpointAt(there, t.id, rem); err != nil {
		return err
	}
	t.state.Record.Checkpoint = there // the next write updates a checkpoint that was left behind
	return t.state.save()
}

// checkpointAt refuses a checkpoint ref that has neither the value in the fence nor the one before it.
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
	return fault.New(fault.Changed, "the checkpoint of task %s on %s was %s by somebody else", id, rem.name, what).
		WithHint("%s, then resume; or abandon", out)
}

// bareFetch fetches refs and nothing with them.
var bareFetch = []string{"fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"}

// fetch fetches a ref of the remote, which is at tip there, unless that commit is here.
func (t *taskRefs) fetch(ctx context.Context, rem remote, ref, tip string) error {
	if here, err := t.bare.has(ctx, tip); err != nil || here {
		return err
	}
	if _, err := rem.call(ctx, t.bare, append(slices.Clone(bareFetch), "--", rem.url, "+"+ref+":refs/longshift/theirs")...); err != nil {
		return fmt.Errorf("fetch %s: %w", ref, err)
	}
	return nil
}

// fetchFence fetches the fence and the checkpoint into our git directory and reads the fence.
func (t *taskRefs) fetchFence(ctx context.Context, rem remote, l listing) (record, error) {
	args := append(slices.Clone(bareFetch), "--", rem.url)
	for ref, local := range map[string]string{fenceRef(t.id): "refs/longshift/fence", checkpointRef(t.id): "refs/longshift/checkpoint"} {
		if l.refs[ref] != "" {
			args = append(args, "+"+ref+":"+local)
		}
	}
	if _, err := rem.call(ctx, t.bare, args...); err != nil {
		return record{}, fmt.Errorf("fetch the checkpoint: %w", err)
	}
	if l.refs[fenceRef(t.id)] == "" {
		return record{}, nil
	}
	return t.readFenceCommit(ctx, l.refs[fenceRef(t.id)])
}
