package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// The fence is a ref on the remote. Its commit records which attempt of the task may write, and what it has written.
//
// A push names the fence it expects with --force-with-lease. Git compares a lease with what the server advertises at the start of the
// push. The server compares it again under its own lock only if the push moves that ref: a lease on an unchanged ref is dropped, and a
// concurrent change of the fence goes unnoticed (measured). So each of our writes moves the fence too, in the same atomic push, to a
// commit that records the write. The server then compares the old fence in the transaction that moves the branch, which closes the race.
//
// A remote on a local disk moves the refs of a push one by one. If its git is killed, the fence may have moved while other refs have not.
// In that case the fence is authoritative. It records the old and new values of the other refs and has the checkpoint as a parent, so
// nothing is lost, and the next write updates the refs that were left behind.

func fenceRef(id string) string      { return "refs/longshift-fence/" + id }
func checkpointRef(id string) string { return task.CheckpointRef(id) }

// taskRefs are the refs of the task on the remote: fence, checkpoint and branch.
type taskRefs struct {
	core
	fence   int
	remotes *remotes
	objects *lfsObjects
	notes   *pushNotes
}

// fenceCommit creates the commit that holds the record. Its parents are the checkpoint, the snapshot and the commit where the task started,
// so that a base that was rewritten on the remote can still be fetched.
func (t *taskRefs) fenceCommit(ctx context.Context, rec record) (string, error) {
	data, err := json.Marshal(rec)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", t.state.emptyTree())
	parents := []string{rec.Base, rec.Trunk, rec.Checkpoint, rec.Snapshot}
	for i, parent := range parents {
		if parent != "" && !slices.Contains(parents[:i], parent) {
			fmt.Fprintf(&b, "parent %s\n", parent)
		}
	}
	const who = "Longshift <longshift@localhost> 0 +0000"
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\nfence %d of task %s\n\n%s\n", who, who, rec.Fence, t.id, data)
	return t.bare.feed(ctx, b.String(), "hash-object", "-t", "commit", "-w", "--stdin")
}

// readFenceCommit parses the record in a fence commit.
func (t *taskRefs) readFenceCommit(ctx context.Context, commit string) (record, error) {
	text, err := t.bare.run(ctx, "cat-file", "commit", commit)
	if err != nil {
		return record{}, err
	}
	var rec record
	for _, line := range lines(text) {
		if strings.HasPrefix(line, "{") {
			err = json.Unmarshal([]byte(line), &rec)
		}
	}
	if err != nil || rec.Fence < 1 {
		return record{}, fault.New(fault.Changed, "the fence of task %s on the remote is not one of ours: commit %s", t.id, commit)
	}
	return rec, nil
}

// update moves one ref on the remote: it must be at from ("" if it must not exist) and moves to to ("" removes it).
type update struct{ ref, from, to string }

// errMoved means that a ref on the remote was not where we expected it. The caller reads the remote again.
var errMoved = errors.New("the remote has moved")

// write moves refs on the remote together with the fence, all or none, and stores the new record.
func (t *taskRefs) write(ctx context.Context, rem remote, next record, list ...update) error {
	next.Fence, next.Before = t.fence, next.Checkpoint
	next.Writes++
	replaces := next.Replaced
	for _, u := range list {
		switch u.ref {
		case checkpointRef(t.id):
			next.Before, next.Checkpoint, next.Snapshot = u.from, u.to, ""
		case t.state.branchRef():
			next.Replaced, next.Pushed, replaces = u.from, u.to, ""
		}
	}
	commit, err := t.fenceCommit(ctx, next)
	if err != nil {
		return fmt.Errorf("make the fence: %w", err)
	}
	list = append(list, update{fenceRef(t.id), t.state.FenceRef, commit})
	if err := t.push(ctx, rem, list); err != nil {
		return err
	}
	next.Replaced = replaces // these refs are now known to have moved
	t.state.Record, t.state.FenceRef = next, commit
	return t.state.save()
}

func (t *taskRefs) push(ctx context.Context, rem remote, list []update) error {
	if err := t.objects.bring(ctx, rem, list); err != nil {
		return err
	}
	args := []string{"push", "--porcelain", "--atomic", "--no-verify", "--no-recurse-submodules"}
	if rem.path { // never update a branch that somebody has checked out
		args = append(args, "--receive-pack=git -c receive.denyCurrentBranch=refuse -c receive.autogc=false -c core.fsync="+durable+" receive-pack")
	}
	var specs []string
	for _, u := range list {
		args = append(args, "--force-with-lease="+u.ref+":"+u.from)
		specs = append(specs, u.to+":"+u.ref)
	}
	note := t.notes.note(rem)
	if err := t.notes.begin(ctx, note); err != nil {
		return err
	}
	out, err := rem.call(ctx, t.bare, slices.Concat(args, []string{"--", rem.url}, specs)...)
	if err == nil && note != "" {
		os.Remove(note)
	}
	if held := rem.heldBy(err); held != nil {
		return fmt.Errorf("%w: %w", errMoved, held)
	}
	var known *fault.Error
	if err != nil && refusals(out).stale() && (!errors.As(err, &known) || known.Kind == fault.Infra) {
		return fmt.Errorf("%w: %w", errMoved, err)
	}
	return err
}
