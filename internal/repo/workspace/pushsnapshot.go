package workspace

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A snapshot is a commit with the work tree as it is between two commits of the task. No branch holds it: the fence has it as a parent, so
// it is pushed, replaced and removed together with the fence, and only by the attempt that has the task.

// SnapshotSpec says what to push of work that is not committed yet.
type SnapshotSpec struct {
	Note    string                                          // what Snapshot returns on the host that goes on with it; one line
	Clean   bool                                            // the last commit stands for the work tree, which is not to be kept
	Inspect func(write func(patches io.Writer) error) error // looks at the changes since the last commit; its error prevents the push
}

// PushSnapshot pushes the work tree, so that a host that takes the task over goes on with it. Ignored files and what commands have made
// are left out. It pushes nothing while a merge waits for its commit, and while the last commit is not on the remote: pushed is false
// then. It fails with fault.Fenced when a later attempt has the task.
func (t *Tree) PushSnapshot(ctx context.Context, s SnapshotSpec) (pushed bool, err error) {
	err = t.at.locked(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if rec := o.state.Record; err != nil || o.state.Merging != nil || head == "" || head != rec.Base && head != rec.Checkpoint {
			return err
		}
		commit, err := o.index.keep(ctx, head, s)
		if err != nil {
			return err
		}
		if err := s.Inspect(func(to io.Writer) error { return o.changes(ctx, head, commit, to) }); err != nil {
			return err
		}
		pushed = true
		return o.refs.retry(ctx, func(rem remote) error {
			if err := o.objects.bring(ctx, rem, []update{{to: commit}}); err != nil {
				return err
			}
			next := o.state.Record
			next.Snapshot = commit
			return o.refs.write(ctx, rem, next)
		})
	})
	return pushed && err == nil, wrap("push a snapshot", err)
}

// keep commits the work tree without moving a branch.
func (x *index) keep(ctx context.Context, head string, s SnapshotSpec) (commit string, err error) {
	tree := head + "^{tree}"
	if !s.Clean {
		if tree, err = x.snapshot(ctx, head, nil, x.withoutMade(ctx, head)); err != nil {
			return "", err
		}
	}
	return x.maker.innerCommit(ctx, tree, "Work in progress of task "+x.id+"\n\n"+s.Note+"\n", head)
}

// changes writes what a snapshot would publish, as patches.
func (o *opened) changes(ctx context.Context, from, to string, w io.Writer) error {
	if err := o.bare.pipe(ctx, nil, w, slices.Concat([]string{"diff-tree", "-r"}, whole, []string{from, to})...); err != nil {
		return err
	}
	return o.objects.show(ctx, to, w)
}

// followSnapshot gives the work tree the state that another host has pushed last, when nothing was committed since. What the work tree
// holds is kept under a ref of the git directory.
func (j *preparation) followSnapshot(ctx context.Context, head string, fresh bool) error {
	state, snapshot := j.o.state, j.found.Snapshot
	if snapshot == "" || snapshot == state.Record.Snapshot || head == "" || state.Merging != nil {
		return nil
	}
	if on, _, err := j.o.branch.note(ctx, snapshot); err != nil || on != head {
		return err
	}
	if !fresh {
		left, err := j.o.index.leave(ctx, head)
		if err != nil {
			return err
		}
		j.log.WarnContext(ctx, "workspace follows the snapshot of another host", "task", j.o.id, "left", left, "snapshot", snapshot)
	}
	state.Record.Snapshot, state.Taken = snapshot, snapshot
	return j.o.steps.begin(ctx, step{Head: head, Work: snapshot, Clean: true})
}

// Snapshot is what a host has pushed of work that was not committed.
type Snapshot struct {
	Commit string
	Note   string // of its SnapshotSpec
}

// Snapshot returns the snapshot that the work tree was made from; the zero value for none, and when something was committed since.
func (t *Tree) Snapshot(ctx context.Context) (s Snapshot, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		s, err = o.taken(ctx)
		return err
	})
	return s, wrap("read the snapshot", err)
}

func (o *opened) taken(ctx context.Context) (s Snapshot, err error) {
	if o.state.Taken == "" {
		return s, nil
	}
	head, err := o.branch.head(ctx)
	if err != nil {
		return s, err
	}
	on, text, err := o.branch.note(ctx, o.state.Taken)
	if err == nil && on == head {
		s = Snapshot{o.state.Taken, text}
	}
	return s, err
}

// note reads a snapshot: the commit that it is based on, and what its caller has noted.
func (b *branch) note(ctx context.Context, snapshot string) (on, text string, err error) {
	out, err := b.bare.run(ctx, "log", "-1", "--format=%P%n%B", snapshot)
	if err != nil {
		return "", "", fmt.Errorf("read snapshot %.10s: %w", snapshot, err)
	}
	all := lines(strings.TrimSpace(out))
	return all[0], all[len(all)-1], nil
}
