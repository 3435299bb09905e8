package workflows

import (
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// sync brings the status file of a specification in line with it and with the repository, and changes nothing else. The planner proposes
// what the file lacks and what it should drop; people approve it as a plan. What is outdated is shown again, by its command and by a
// session, or is open from then on.
func (t *pipeline) sync(ctx workflow.Context) error {
	if err := t.plan(ctx); err != nil {
		return err
	}
	if p := t.status.Plan; len(p.Deliverables)+len(p.Deprecated) > 0 {
		if err := t.approve(ctx); err != nil {
			return err
		}
	}
	list, err := t.verifyOutdated(ctx)
	if err != nil {
		return err
	}
	for _, d := range t.status.Plan.Deliverables {
		if !slices.ContainsFunc(list, func(r activities.Recorded) bool { return r.ID == d.ID }) {
			list = append(list, activities.Recorded{Deliverable: d})
		}
	}
	write := func(ctx workflow.Context) error { return t.publisher.record.write(ctx, list) }
	same := func() error {
		return end(task.AlreadyDone, "the deliverables are what the specification asks for: nothing to do")
	}
	for {
		err := t.publisher.publishStatus(ctx, write, same)
		if !isLost(err) { // the commit may go with its host; it is made again
			return err
		}
	}
}

// verifyOutdated shows again, or no longer, what has passed on content that has changed since. The plan lists it from then on.
func (t *pipeline) verifyOutdated(ctx workflow.Context) (list []activities.Recorded, err error) {
	dropped := t.status.Plan.DeprecatedIDs()
	for _, k := range t.runner.known {
		if !k.Outdated || slices.Contains(dropped, k.ID) {
			continue
		}
		if len(list) == 0 {
			if err := t.checks.checkOut(ctx); err != nil {
				return nil, err
			}
		}
		r, err := t.verify(ctx, k)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
		p := *t.status.Plan
		p.Deliverables = append(slices.Clone(p.Deliverables), r.Deliverable)
		t.status.Plan = &p
	}
	return list, nil
}

// verify runs the command of a deliverable and has a session confirm it, which can't write. What one of them denies is open again.
func (t *pipeline) verify(ctx workflow.Context, k activities.Known) (activities.Recorded, error) {
	r := activities.Recorded{Deliverable: k.Deliverable, Command: k.Proof, Renewed: true}
	r.Status, r.Reason = task.Pending, ""
	open := func(why string) (activities.Recorded, error) {
		r.Reason, r.Proved, r.Command = excerpt.Clip(why, 400), nil, ""
		t.journal.say(ctx, "deliverable", "%s is open again: %s", k.ID, firstLine(why))
		t.journal.remember(ctx, "error", k.ID+" is open again: "+why)
		return r, nil
	}
	if k.Proof == "" {
		if r.Command, r.Proved = t.publisher.record.checked(ctx); r.Proved == nil {
			return open("the project has no check that passes, and it has no proof of its own")
		}
	} else {
		c, err := t.checks.prove(ctx, k.Deliverable, true)
		if err != nil {
			return r, err
		}
		if why := lacking(c); why != "" {
			return open(why)
		}
		r.Proved = &task.Proved{Commit: c.Commit, Ran: c.Ran, Clean: true, Output: c.File, At: workflow.Now(ctx)}
	}
	t.journal.enter(ctx, task.Reviewing)
	res, err := t.sessions.converse(ctx, task.Reviewer, brief{deliverable: &k.Deliverable})
	if err != nil {
		return r, err
	}
	if !res.Review.Approved {
		return open("a session that looked at it says: " + strings.TrimSpace(res.Review.Text))
	}
	r.Status, r.Verified = task.Passed, t.publisher.record.session(task.Reviewer, k.ID)
	t.journal.say(ctx, "deliverable", "%s stands: %s", k.ID, firstLine(res.Review.Text))
	t.journal.remember(ctx, string(task.Approved), fmt.Sprintf("%s: %s", k.ID, res.Review.Text))
	return r, nil
}
