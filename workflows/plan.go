package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// plan has a planner, who can't write, make a plan: the first one, one after an edit, or one after a review.
func (t *pipeline) plan(ctx workflow.Context) error {
	t.journal.enter(ctx, task.Planning)
	res, err := t.sessions.converse(ctx, task.Planner, brief{edit: t.edit, refused: t.commits.last.refused})
	if err != nil {
		return err
	}
	t.edit = nil
	p := *res.Plan
	p.Revision, p.Opens = 1, nil // whatever the planner says about them
	if len(t.def.input.Spec) == 0 {
		p = p.WithoutSpec() // a task for which a sentence is enough has its check
	}
	p = t.besideKnown(p)
	if t.status.Plan != nil {
		p = task.Merge(*t.status.Plan, p)
		p.Opens = t.status.Plan.Opens
	}
	p = p.Measured(t.settings.PullRequest.MaxLines)
	t.status.Plan = &p
	if t.status.Iteration == 1 {
		t.publisher.entitle(p.Summary)
	}
	switch p.Verdict {
	case task.VerdictAlreadyDone: // after a review there is work of earlier rounds, and the next review decides
		if t.status.Head == t.status.BaseCommit && !t.def.input.Sync {
			return t.checks.nothingToDo("%s", p.Evidence)
		}
	case task.VerdictDeclined:
		return end(task.Declined, "%s", p.Evidence)
	}
	_, _, pending := p.Counts()
	t.journal.say(ctx, "plan", "revision %d: %s (%d to do)", p.Revision, firstLine(p.Summary), pending)
	return nil
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
