package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/longshift/longshift/internal/fault"
)

// tries is how often a write to a remote is tried anew after it had moved.
const tries = 3

// retry runs do until the remote holds still.
func (o *opened) retry(ctx context.Context, do func(remote) error) error {
	rem, err := o.m.remote(ctx, o.state.home())
	if err != nil {
		return err
	}
	for range tries {
		if err = do(rem); !errors.Is(err, errMoved) {
			return err
		}
		if err := o.resync(ctx, rem); err != nil {
			return err
		}
	}
	return rem.restless(err)
}

// Checkpoint pushes the task's last commit to its checkpoint ref. Nothing is done when it is there already. It fails
// with fault.Fenced when a later attempt has the task, which the remote itself makes sure of.
func (t *Tree) Checkpoint(ctx context.Context) error {
	err := t.locked(ctx, func(o *opened) error {
		head, err := o.head(ctx)
		if err != nil || head == "" {
			return err
		}
		return o.retry(ctx, func(rem remote) error {
			next := o.state.Record
			if next.Checkpoint == head {
				return nil
			}
			return o.write(ctx, rem, next, update{checkpointRef(o.id), next.Checkpoint, head})
		})
	})
	if err != nil {
		return fmt.Errorf("push checkpoint: %w", err)
	}
	return nil
}

// Push pushes the task's branch, by commit id, and the checkpoint with it. It gives the branch's head. Commits of
// somebody else on the branch are a fault.Changed that names them.
func (t *Tree) Push(ctx context.Context) (head string, err error) {
	err = t.locked(ctx, func(o *opened) error {
		if head, err = o.head(ctx); err != nil {
			return err
		}
		if head == "" {
			return fault.New(fault.Conflict, "task %s has no commit to push", o.id)
		}
		return o.retry(ctx, func(rem remote) error { return o.pushBranch(ctx, rem, head) })
	})
	if err != nil {
		return "", fmt.Errorf("push branch: %w", err)
	}
	return head, nil
}

func (o *opened) pushBranch(ctx context.Context, rem remote, head string) error {
	l, err := o.m.list(ctx, rem, o.branchRef(), fenceRef(o.id), checkpointRef(o.id))
	if err != nil {
		return err
	}
	if err := o.adoptFence(ctx, rem, l); err != nil {
		return err
	}
	there := l.refs[o.branchRef()]
	if now := o.state.Record; there == head && now.Pushed == head && now.Checkpoint == head {
		return nil
	}
	if err := o.mayReplace(ctx, rem, there, head); err != nil {
		return err
	}
	if now := o.state.Record; now.Checkpoint != head { // first: whoever finds the branch moved, and the fence not, knows the commit as ours
		if err := o.write(ctx, rem, now, update{checkpointRef(o.id), now.Checkpoint, head}); err != nil {
			return err
		}
	}
	next := o.state.Record
	if there == head {
		next.Pushed = head
		return o.write(ctx, rem, next)
	}
	return o.write(ctx, rem, next, update{o.branchRef(), there, head})
}

// mayReplace refuses to drop what we have not put there: the branch may be replaced when it holds what we pushed last or
// what we were about to replace, or nothing that head does not hold too.
func (o *opened) mayReplace(ctx context.Context, rem remote, there, head string) error {
	pushed := o.state.Record.Pushed
	if there == head || there == pushed || there != "" && there == o.state.Record.Replaced {
		return nil
	}
	if there == "" {
		if o.state.Record.Trunk == "" { // not pushed yet, or merged and removed by people: it is made anew
			return nil
		}
		return fault.New(fault.Changed, "branch %s of %s was deleted by somebody", o.state.Record.Branch, rem.name).
			WithHint("restore it, then resume; or abandon")
	}
	r := o.bare()
	if !r.has(ctx, there) {
		_, err := r.call(ctx, rem, "fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--no-recurse-submodules",
			"--no-auto-maintenance", "--", rem.url, "+"+o.branchRef()+":refs/longshift/theirs")
		if err != nil {
			return fmt.Errorf("fetch the branch: %w", err)
		}
	}
	ok, err := r.isAncestor(ctx, there, head)
	if err != nil || ok && o.state.Record.Trunk == "" {
		return err
	}
	if ok { // a round begins at the branch as people left it: whoever took commits away since did not want them back
		if pushed != "" && r.has(ctx, pushed) { // onward from there, a killed push of ours has moved it, and not the fence
			if onward, err := r.isAncestor(ctx, pushed, there); err != nil || onward {
				return err
			}
		}
		return fault.New(fault.Changed, "branch %s of %s was moved back by somebody, to %.10s", o.state.Record.Branch, rem.name, there)
	}
	not := []string{head}
	if pushed != "" && r.has(ctx, pushed) {
		not = append(not, pushed)
	}
	theirs, err := r.run(ctx, append([]string{"log", "-n5", "--format=%h %an: %s", there, "--not"}, not...)...)
	if err != nil {
		return err
	}
	return fault.New(fault.Changed, "branch %s of %s has commits that are not the task's: %q",
		o.state.Record.Branch, rem.name, lines(theirs)).WithHint("take them over or move them away, then resume the task")
}
