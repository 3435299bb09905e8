package workflows

import (
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/task"
)

// statusFile is the change since which a task that carries out a specification proves its deliverables on a clean checkout, and records
// what they have come to in the repository.
const statusFile = "status-file"

func keepsStatus(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, statusFile, workflow.DefaultVersion, 1) >= 1
}

// record writes what the deliverables of a specification have come to into the repository's status file.
type record struct {
	facts
	journal *journal
	parking *parking
	runner  *runner

	commits map[string][]activities.Span // of the deliverables, by id
	working []string                     // ids of those whose work is in no commit yet
	partial bool                         // a person has left a part of the specification out of the plan
}

// worked notes that a session has worked on a deliverable. Its work is in the next commit, which may be that of a later deliverable.
func (rc *record) worked(id string) {
	if !slices.Contains(rc.working, id) {
		rc.working = append(rc.working, id)
	}
}

// committed notes that the work so far is in the commits up to the head.
func (rc *record) committed(from string) {
	for _, id := range rc.working {
		rc.commits[id] = append(rc.commits[id], activities.Span{From: from, To: rc.status.Head})
	}
	rc.working = nil
}

// dropped notes that no work waits for a commit: it has changed nothing, or is gone.
func (rc *record) dropped() { rc.working = nil }

// leftOut notes that a person's edit has left deliverables out of the plan. The specification does not count as carried out then, unless the plan is
// what a sync proposes: a person has the last word on what the specification asks for.
func (rc *record) leftOut(ctx workflow.Context, ids []string) {
	if len(ids) == 0 || len(rc.def.input.Spec) == 0 || rc.def.input.Sync {
		return
	}
	rc.partial = true
	rc.journal.found(ctx, "an edit of the plan has left out "+strings.Join(ids, ", ")+
		": the specification is recorded as not carried out, and longshift spec sync compares the two")
}

// done records what the work on the plan has come to.
func (rc *record) done(ctx workflow.Context) error {
	if len(rc.def.input.Spec) == 0 || rc.status.Plan == nil || !keepsStatus(ctx) {
		return nil
	}
	var list []activities.Recorded
	review := rc.session(task.Reviewer, "")
	for _, d := range rc.status.Plan.Deliverables {
		r := activities.Recorded{Deliverable: d, Command: d.Proof, Session: rc.session(task.Implementer, d.ID), Made: rc.commits[d.ID],
			Verified: review}
		if len(r.Made) == 0 { // another deliverable's session has done it, so all that has changed belongs to it
			r.Made = []activities.Span{{From: rc.status.BaseCommit, To: rc.status.Head}}
		}
		if d.Proof == "" {
			r.Command, r.Proved = rc.checked(ctx)
		}
		if r.Proved != nil && r.Proved.Commit != rc.status.Head {
			r.Proved = nil
		}
		list = append(list, r)
	}
	return rc.write(ctx, list)
}

// write commits the status file. It changes the head of the branch and nothing that was checked.
func (rc *record) write(ctx workflow.Context, list []activities.Recorded) error {
	var out activities.Committed
	in := activities.RecordInput{Spec: rc.def.input.Spec, Deliverables: list, Deprecated: rc.status.Plan.DeprecatedIDs(),
		Partial: rc.partial, Head: rc.status.Head, At: workflow.Now(ctx)}
	err := rc.parking.insist(ctx, func() error {
		return rc.runner.inGit(ctx, "record the deliverables", git.RecordDeliverables, func() any {
			in.Ref = rc.ref()
			return in
		}, &out)
	})
	if err != nil {
		return err
	}
	if out.Commit != rc.status.Head {
		rc.status.Head = out.Commit
		rc.journal.say(ctx, "commit", "%s records what the deliverables have come to", short(out.Commit))
	}
	return nil
}

// checked is the check as the proof of a deliverable that has none of its own. It guards what is there, and shows less.
func (rc *record) checked(ctx workflow.Context) (string, *task.Proved) {
	c := rc.status.Check
	if c == nil || lacking(c) != "" {
		return "", nil
	}
	return c.Command, &task.Proved{Commit: c.Commit, Ran: c.Ran, Guard: true, Output: c.File, At: workflow.Now(ctx)}
}

// session is the id of the last session in a role, on a deliverable.
func (rc *record) session(role task.Role, deliverable string) (id string) {
	for _, s := range rc.status.Sessions {
		if s.Deliverable == deliverable && s.Role == role {
			id = s.ID
		}
	}
	return id
}
