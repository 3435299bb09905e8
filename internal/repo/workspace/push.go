package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/longshift/longshift/internal/fault"
)

// tries is how often a write is tried when the remote's refs have changed meanwhile.
const tries = 3

// retry repeats do while it fails because the remote has changed.
func (t *taskRefs) retry(ctx context.Context, do func(remote) error) error {
	rem, err := t.remotes.find(ctx, t.state.home())
	if err != nil {
		return err
	}
	for range tries {
		if err = do(rem); !errors.Is(err, errMoved) {
			return err
		}
		if err := t.resync(ctx, rem); err != nil {
			return err
		}
	}
	return rem.restless(err)
}

// Checkpoint pushes the task's last commit to its checkpoint ref, if it is not there yet. It fails with fault.Fenced when a later attempt
// has the task; the remote itself enforces this.
func (t *Tree) Checkpoint(ctx context.Context) error {
	return wrap("push checkpoint", t.at.locked(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil || head == "" {
			return err
		}
		return o.refs.retry(ctx, func(rem remote) error {
			next := o.state.Record
			if next.Checkpoint == head {
				return nil
			}
			return o.refs.write(ctx, rem, next, update{checkpointRef(o.id), next.Checkpoint, head})
		})
	}))
}

// Push pushes the task's branch, by commit id, together with the checkpoint, and returns the branch's head. If somebody else has pushed
// commits to the branch, it fails with a fault.Changed that names them.
func (t *Tree) Push(ctx context.Context) (head string, err error) {
	err = t.at.locked(ctx, func(o *opened) error {
		if head, err = o.branch.head(ctx); err != nil {
			return err
		}
		if head == "" {
			return fault.New(fault.Conflict, "task %s has no commit to push", o.id)
		}
		return o.refs.retry(ctx, func(rem remote) error { return o.refs.pushBranch(ctx, rem, head) })
	})
	if err != nil {
		return "", fmt.Errorf("push branch: %w", err)
	}
	return head, nil
}

// pushBranch moves the branch to head. It looks at the remote only when that has moved: a push names what it expects there.
func (t *taskRefs) pushBranch(ctx context.Context, rem remote, head string) error {
	if now := t.state.Record; now.Checkpoint == head && now.Pushed != head && (now.Pushed != "" || now.Trunk == "") {
		if err := t.write(ctx, rem, now, update{t.state.branchRef(), now.Pushed, head}); !errors.Is(err, errMoved) {
			return err
		}
	}
	l, err := rem.list(ctx, t.state.branchRef(), fenceRef(t.id), checkpointRef(t.id))
	if err != nil {
		return err
	}
	if err := t.adoptFence(ctx, rem, l); err != nil {
		return err
	}
	there := l.refs[t.state.branchRef()]
	if now := t.state.Record; there == head && now.Pushed == head && now.Checkpoint == head {
		return nil
	}
	if err := t.mayReplace(ctx, rem, there, head); err != nil {
		return err
	}
	if now := t.state.Record; now.Checkpoint != head { // checkpoint first: a crash may move the branch only
		if err := t.write(ctx, rem, now, update{checkpointRef(t.id), now.Checkpoint, head}); err != nil {
			return err
		}
	}
	next := t.state.Record
	if there == head {
		next.Pushed = head
		return t.write(ctx, rem, next)
	}
	return t.write(ctx, rem, next, update{t.state.branchRef(), there, head})
}

// mayReplace fails when the push would drop commits that are not ours. The branch may be replaced when it is at the commit we pushed last
// or were about to replace, or when head contains its commit.
func (t *taskRefs) mayReplace(ctx context.Context, rem remote, there, head string) error {
	pushed := t.state.Record.Pushed
	if there == head || there == pushed || there != "" && there == t.state.Record.Replaced {
		return nil
	}
	if there == "" {
		if t.state.Record.Trunk == "" { // not pushed yet, or merged and deleted by people: it is created again
			return nil
		}
		return fault.New(fault.Changed, "branch %s of %s was deleted by somebody", t.state.Record.Branch, rem.name).
			WithHint("restore it, then resume; or abandon")
	}
	if err := t.fetch(ctx, rem, t.state.branchRef(), there); err != nil {
		return err
	}
	r := t.bare
	ok, err := r.isAncestor(ctx, there, head)
	if err != nil || ok && t.state.Record.Trunk == "" {
		return err
	}
	here, err := r.has(ctx, pushed)
	if err != nil {
		return err
	}
	if ok { // a round starts at the branch as people left it: commits removed since then were removed on purpose
		if here { // a later commit of ours was pushed by a killed push that did not move the fence
			if onward, err := r.isAncestor(ctx, pushed, there); err != nil || onward {
				return err
			}
		}
		return fault.New(fault.Changed, "branch %s of %s was moved back by somebody, to %.10s", t.state.Record.Branch, rem.name, there)
	}
	not := []string{head}
	if here {
		not = append(not, pushed)
	}
	theirs, err := r.run(ctx, append([]string{"log", "-n5", "--format=%h %an: %s", there, "--not"}, not...)...)
	if err != nil {
		return err
	}
	return fault.New(fault.Changed, "branch %s of %s has commits that are not the task's: %q",
		t.state.Record.Branch, rem.name, lines(theirs)).WithHint("take them over or move them away, then resume the task")
}
