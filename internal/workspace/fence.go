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
)

// The fence on the remote is a ref whose commit says which attempt of the task may write, and what it has written.
//
// A push names the fence it expects with --force-with-lease. Git checks a lease against what the server advertises at the
// start of the push, and the server checks it again under its own lock only when the push moves that ref: a lease on a
// ref that is up to date is left out, and a fence that moves in between goes unnoticed (measured). So every write of ours
// moves the fence too, in the same atomic push, to a commit that says what is written. The server then compares the old
// fence in the transaction that moves the branch, and no race is left.
//
// A remote on a disk moves the refs of one push one by one: when its git is killed, the fence may have moved and others not. The
// fence is what counts. It says what the others were and became, and has the checkpoint as a parent, so that nothing is lost
// and the next write brings up what was left behind.

func fenceRef(id string) string      { return "refs/longshift-fence/" + id }
func checkpointRef(id string) string { return "refs/longshift/" + id }

// fenceCommit makes the commit that stands for the record. Its parents are where the task started, so that a base
// which was rewritten on the remote can still be fetched, and the checkpoint.
func (o *opened) fenceCommit(ctx context.Context, rec record) (string, error) {
	data, err := json.Marshal(rec)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", o.emptyTree())
	parents := []string{rec.Base, rec.Trunk, rec.Checkpoint}
	for i, parent := range parents {
		if parent != "" && !slices.Contains(parents[:i], parent) {
			fmt.Fprintf(&b, "parent %s\n", parent)
		}
	}
	const who = "Longshift <longshift@localhost> 0 +0000"
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\nfence %d of task %s\n\n%s\n", who, who, rec.Fence, o.id, data)
	return o.bare().feed(ctx, b.String(), "hash-object", "-t", "commit", "-w", "--stdin")
}

// readFenceCommit reads what a fence says.
func (o *opened) readFenceCommit(ctx context.Context, commit string) (record, error) {
	text, err := o.bare().run(ctx, "cat-file", "commit", commit)
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
		return record{}, fault.New(fault.Changed, "the fence of task %s on the remote is not one of ours: commit %s", o.id, commit)
	}
	return rec, nil
}

// update is one ref to be moved on the remote: it must be at from ("" for not there), and goes to to ("" to remove it).
type update struct{ ref, from, to string }

// errMoved says that the remote is not where we thought it was. The caller looks again.
var errMoved = errors.New("the remote has moved")

// write moves refs on the remote together with the fence, all or none, and remembers it.
func (o *opened) write(ctx context.Context, rem remote, next record, list ...update) error {
	next.Fence, next.Before = o.fence, next.Checkpoint
	next.Writes++
	replaces := next.Replaced
	for _, u := range list {
		switch u.ref {
		case checkpointRef(o.id):
			next.Before, next.Checkpoint = u.from, u.to
		case o.branchRef():
			next.Replaced, next.Pushed, replaces = u.from, u.to, ""
		}
	}
	commit, err := o.fenceCommit(ctx, next)
	if err != nil {
		return fmt.Errorf("make the fence: %w", err)
	}
	list = append(list, update{fenceRef(o.id), o.state.FenceRef, commit})
	if err := o.push(ctx, rem, list); err != nil {
		return err
	}
	next.Replaced = replaces // what was moved just now is known to have moved
	o.state.Record, o.state.FenceRef = next, commit
	return o.save()
}

func (o *opened) push(ctx context.Context, rem remote, list []update) error {
	if err := o.bringObjects(ctx, rem, list); err != nil {
		return err
	}
	args := []string{"push", "--porcelain", "--atomic", "--no-verify", "--no-recurse-submodules"}
	if rem.path { // a checkout of somebody's is not to change under his hands
		args = append(args, "--receive-pack=git -c receive.denyCurrentBranch=refuse -c receive.autogc=false receive-pack")
	}
	var specs []string
	for _, u := range list {
		args = append(args, "--force-with-lease="+u.ref+":"+u.from)
		specs = append(specs, u.to+":"+u.ref)
	}
	note := o.note(rem)
	if err := o.beginPush(ctx, note); err != nil {
		return err
	}
	out, err := o.bare().call(ctx, rem, slices.Concat(args, []string{"--", rem.url}, specs)...)
	if err == nil && note != "" {
		os.Remove(note)
	}
	if held := rem.heldBy(err); held != nil {
		return fmt.Errorf("%w: %w", errMoved, held)
	}
	var known *fault.Error
	if err != nil && stale(refusals(out)) && (!errors.As(err, &known) || known.Kind == fault.Infra) {
		return fmt.Errorf("%w: %w", errMoved, err)
	}
	return err
}
