package workflows

import (
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
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
	left    []task.Deliverable           // of the specification, that people's edits have left out of the plan
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

// replanned notes what the next plan leaves out of the one that it replaces, which only a person's edit may, and what it takes up again or drops of
// what was left out before. A sync leaves nothing out: a person has the last word on what the specification asks for.
func (rc *record) replanned(ctx workflow.Context, next task.Plan, edited bool) {
	if len(rc.def.input.Spec) == 0 || rc.def.input.Sync {
		return
	}
	rc.left = next.LeftOut(rc.left)
	if !edited {
		return
	}
	var told []string
	for _, d := range next.LeftOut(rc.status.Plan.Deliverables) {
		rc.left = append(rc.left, d)
		told = append(told, d.ID+": "+excerpt.Line(d.Description, 100))
	}
	if len(told) > 0 { // whoever puts one back needs its name
		rc.journal.remember(ctx, string(task.Note), "an edit of the plan has left out "+strings.Join(told, "; "))
	}
}

// partial says why the specification does not count as carried out; "" when it does. Words of the task's own may have asked for a part of it.
// Where the status file lists all of it already, the rest is on record.
func (rc *record) partial() string {
	if len(rc.left) > 0 {
		var ids []string
		for _, d := range rc.left {
			ids = append(ids, d.ID)
		}
		return "an edit of the plan has left out " + strings.Join(ids, ", ")
	}
	if in := rc.def.input; in.Words && !in.Sync && !rc.runner.planned {
		return "the task says more than the specification, and may have asked for a part of it only"
	}
	return ""
}

// tellLeft has people look at what may be left out before the merge. It comes before what sessions have found, of which there can be much.
func (rc *record) tellLeft(ctx workflow.Context) {
	why := rc.partial()
	text := why + ": the specification is recorded as not carried out, and longshift spec sync compares the two"
	if why != "" && !has(rc.status.Findings, text, foundBytes) {
		rc.status.Findings = slices.Insert(rc.status.Findings, 0,
			task.Entry{Time: workflow.Now(ctx), Kind: string(task.Found), Text: excerpt.Clip(text, foundBytes)})
	}
}

// done records what the work on the plan has come to.
func (rc *record) done(ctx workflow.Context) error {
	if len(rc.def.input.Spec) == 0 || rc.status.Plan == nil || !keepsStatus(ctx) {
		return nil
	}
	rc.tellLeft(ctx)
	var list []activities.Recorded
	review := rc.session(task.Reviewer, "")
	for _, d := range rc.status.Plan.Deliverables {
		r := activities.Recorded{Deliverable: d, Command: d.Proof, Session: rc.session(task.Implementer, d.ID), Made: rc.commits[d.ID],
			Verified: review}
		if len(r.Made) == 0 {
			r.Renewed = r.Session != "" && rc.outdated(d) // its own session has found nothing to change
		}
		if len(r.Made) == 0 && !r.Renewed { // another deliverable's session has done it, so all that has changed belongs to it
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

// outdated tells whether a deliverable has passed before, on content that has changed since.
func (rc *record) outdated(d task.Deliverable) bool {
	return slices.ContainsFunc(rc.runner.known, func(k activities.Known) bool {
		return k.Outdated && k.ID == d.ID && k.Description == d.Description
	})
}

// write commits the status file. It changes the head of the branch and nothing that was checked.
func (rc *record) write(ctx workflow.Context, list []activities.Recorded) error {
	var out activities.Committed
	in := activities.RecordInput{Spec: rc.def.input.Spec, Deliverables: list, Deprecated: rc.status.Plan.DeprecatedIDs(),
		Partial: rc.partial() != "", Head: rc.status.Head, At: workflow.Now(ctx)}
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
