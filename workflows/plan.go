package workflows

import (
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// plan has a planner, who can't write, make a plan: the first one, one after an edit, or one after a review.
func (t *pipeline) plan(ctx workflow.Context) error {
	t.journal.enter(ctx, task.Planning)
	p, recorded := t.recorded(ctx)
	if !recorded {
		res, err := t.sessions.converse(ctx, task.Planner, brief{edit: t.edit, refused: t.commits.last.refused})
		if err != nil {
			return err
		}
		p = *res.Plan
	}
	edited := t.edit != nil
	t.edit = nil
	p.Revision, p.Opens = 1, nil // whatever the planner says about them
	if len(t.def.input.Spec) == 0 {
		p = p.WithoutSpec() // a task for which a sentence is enough has its check
	}
	p = t.besideKnown(p)
	if t.status.Plan != nil {
		t.deliverables.record.replanned(ctx, p, edited)
		p = t.merged(ctx, p, edited)
		p.Opens = t.status.Plan.Opens
	}
	p = p.Measured(t.settings.PullRequest.MaxLines)
	t.status.Plan = &p
	if t.status.Iteration == 1 {
		t.publisher.entitle(p)
	}
	switch p.Verdict {
	case task.VerdictAlreadyDone: // where there is work of earlier rounds, or a review that asks for changes, the next review decides
		if t.status.Head == t.status.BaseCommit && !t.def.input.Sync && !t.contested(ctx) && !drops(ctx, p) {
			return t.checks.nothingToDo("%s", p.Evidence)
		}
	case task.VerdictDeclined:
		return end(task.Declined, "%s", p.Evidence)
	}
	_, _, pending := p.Counts()
	t.journal.say(ctx, "plan", "revision %d: %s (%d to do)", p.Revision, firstLine(p.Summary), pending)
	return nil
}

// reviewDecides is the change since which a planner can't end a task as done that a reviewer has not let pass.
const reviewDecides = "review-decides"

// contested tells whether a planner's word is not enough to end the task as done: the last review asks for changes, or there is work that could not be
// committed.
func (t *pipeline) contested(ctx workflow.Context) bool {
	asked := t.status.Review != nil && !t.status.Review.Approved
	return (asked || t.commits.last.failed != "") && workflow.GetVersion(ctx, reviewDecides, workflow.DefaultVersion, 1) >= 1
}

// drops tells whether the plan changes the status file, whatever is left to do.
func drops(ctx workflow.Context, p task.Plan) bool {
	return len(p.Deprecated) > 0 && recordsUnchanged(ctx)
}

// unsaid is the change since which a plan after a review keeps what is blocked and what it deprecates, and takes no number that is recorded: the status
// file would say that all of the specification is done.
const unsaid = "unsaid"

// merged returns the plan that replaces the one before it, after a review or a person's edit.
func (t *pipeline) merged(ctx workflow.Context, next task.Plan, edited bool) task.Plan {
	old := *t.status.Plan
	if len(t.def.input.Spec) == 0 || workflow.GetVersion(ctx, unsaid, workflow.DefaultVersion, 1) < 1 {
		return task.Merge(old, next)
	}
	next = task.Merge(old, next, t.recordedIDs()...)
	if edited {
		return next
	}
	review := ""
	if r := t.status.Review; r != nil { // it may be lost with the commits that it was about
		review = r.Text
	}
	return next.Keeping(old, review)
}

// recordedIDs are those of the status file, which mean something already.
func (t *pipeline) recordedIDs() (ids []string) {
	for _, k := range t.runner.known {
		ids = append(ids, k.ID)
	}
	return ids
}

// recorded makes the first plan from the status file, when the specification is still the one that people have approved its deliverables
// for, and the task asks for nothing else. Nobody has to plan them again, and a task that goes on where an earlier one has stopped spends
// nothing before its first deliverable.
func (t *pipeline) recorded(ctx workflow.Context) (p task.Plan, ok bool) {
	if !t.runner.planned || t.def.input.Sync || t.def.input.Words || t.edit != nil || t.status.Plan != nil || t.def.input.Review != "" {
		return p, false
	}
	wanted := 0
	for _, k := range t.runner.known {
		if !k.Dropped {
			wanted++
		}
		if !k.Open {
			continue
		}
		if k.Reason != "" {
			t.journal.remember(ctx, string(task.Note), k.ID+" is open, as recorded by an earlier task: "+k.Reason)
		}
		d := k.Deliverable
		d.Status, d.Reason = task.Pending, ""
		p.Deliverables = append(p.Deliverables, d)
	}
	where := strings.Join(t.def.input.Spec, ", ")
	p.Verdict = task.VerdictWork
	p.Summary = fmt.Sprintf("Carry out what is open of %s: %d of %d deliverables", where, len(p.Deliverables), wanted)
	p.Approach = "As recorded with the specification, which has not changed since; one deliverable after the other."
	if len(p.Deliverables) == 0 {
		p.Verdict = task.VerdictAlreadyDone
		p.Evidence = fmt.Sprintf("Each deliverable recorded for %s has passed (%d of %d), and its evidence holds at the base commit.", where, wanted, wanted)
	}
	p.Deliverables = p.Deliverables[:min(len(p.Deliverables), task.MaxDeliverables)] // the rest stays open for the next task
	p = p.Tidy()
	return p, p.Validate() == nil
}

// besideKnown gives the plan ids that mean nothing else, and keeps of what it deprecates what there is to deprecate. A task that only syncs
// creates nothing that is recorded already.
func (t *pipeline) besideKnown(p task.Plan) task.Plan {
	var closed, dropped []string
	for _, k := range t.runner.known {
		if t.def.input.Sync {
			p.Deliverables = slices.DeleteFunc(slices.Clone(p.Deliverables),
				func(d task.Deliverable) bool { return d.ID == k.ID && d.Description == k.Description })
		}
		if !k.Open || t.def.input.Sync {
			closed = append(closed, k.ID)
		}
		if slices.Contains(p.DeprecatedIDs(), k.ID) && !k.Dropped {
			dropped = append(dropped, k.ID+": "+excerpt.Clip(k.Description, 300))
		}
	}
	p.Deprecated = dropped
	return p.Beside(closed)
}
