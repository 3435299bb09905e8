package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// execute runs one implementing session per deliverable, each followed by a commit, a checkpoint and the check, until nothing is
// pending. What the check says goes to the next session.
func (t *pipeline) execute(ctx workflow.Context) error {
	for {
		next, ok := t.status.Plan.Next()
		if !ok {
			break
		}
		report, err := t.deliver(ctx, next)
		if err != nil {
			return err
		}
		if err := t.prove(ctx, next, report); err != nil {
			return err
		}
	}
	if p := t.status.Plan; p.AllBlocked() {
		return end(task.AllBlocked, "%s", t.blockers())
	}
	return nil
}

// prove runs the check on what a session left. A deliverable that leaves it failing, or whose commit is refused, goes back to an
// implementer with the output, a few times. After that the loop goes on: a later deliverable, or the review, may be what mends it.
func (t *pipeline) prove(ctx workflow.Context, d task.Deliverable, r task.Report) error {
	defer func() { t.fixing = 0 }()
	for {
		if err := t.check(ctx); err != nil {
			return err
		}
		refused := t.refused != "" && !t.merging // a merge has tries of its own
		if t.sound() && !refused || r.Kind == task.ReportBlocked || t.fixing >= t.settings.FixAttempts {
			return nil
		}
		t.fixing++
		why := "the check fails"
		if refused {
			why = "what it left is refused"
		}
		t.say(ctx, "fix", "%s goes back, for %s: attempt %d of %d", d.ID, why, t.fixing, t.settings.FixAttempts)
		t.remember(ctx, "error", d.ID+" goes back to be mended: "+why)
		var err error
		if r, err = t.deliver(ctx, d); err != nil {
			return err
		}
	}
}

// deliver has sessions work on a deliverable until what one of them reported is committed.
func (t *pipeline) deliver(ctx workflow.Context, d task.Deliverable) (task.Report, error) {
	for {
		t.enter(ctx, task.Executing)
		res, err := t.converse(ctx, task.Implementer, &d)
		if err != nil {
			return task.Report{}, err
		}
		plan, fence, commits := t.status.Plan, t.status.Fence, len(t.status.Commits)
		t.mark(ctx, d, res.Report)
		if err := t.commit(ctx, res.Report); err != nil {
			if isLost(err) {
				t.status.Plan = plan
			}
			return task.Report{}, err
		}
		if t.leak != "" {
			t.status.Plan = plan // it is to be done without the secret
			if err := t.leaked(ctx, d); err != nil {
				return task.Report{}, err
			}
			continue
		}
		if t.status.Fence != fence && len(t.status.Commits) == commits && res.Report.Kind != task.ReportBlocked {
			t.status.Plan = plan // the host went between the session and its commit, and the work with it
			t.remember(ctx, "error", d.ID+": its work was lost with its host; it is to be done again")
			t.say(ctx, "host", "the work on %s was lost with its host; doing it again", d.ID)
			continue
		}
		t.answered(d, res.Report, len(t.status.Commits) > commits)
		return res.Report, nil
	}
}

// answered keeps what came of a deliverable, for those who asked for it. A session that mends it adds its commit.
func (t *pipeline) answered(d task.Deliverable, r task.Report, committed bool) {
	one := came{text: r.Text, done: r.Kind != task.ReportBlocked}
	if t.fixing > 0 {
		one = t.came[d.ID]
	}
	one.on = len(t.status.Commits)
	if committed {
		one.commit = t.status.Head
	}
	t.came[d.ID] = one
	for _, d := range t.status.Plan.Deliverables { // a session that says the whole plan is done has done the others too
		if _, there := t.came[d.ID]; !there && d.Status == task.Passed {
			t.came[d.ID] = one
		}
	}
}

// mark enters what the session reported into the plan and the progress log.
func (t *pipeline) mark(ctx workflow.Context, d task.Deliverable, r task.Report) {
	if r.Kind == task.ReportBlocked {
		if t.fixing == 0 { // what it was to do is there; that the check fails is told by the check
			t.set(d.ID, task.Blocked, r.Text)
		}
		t.remember(ctx, string(task.Blocking), d.ID+": "+r.Text)
		t.say(ctx, "blocked", "%s: %s", d.ID, firstLine(r.Text))
		t.show(ctx, signals.Notice{})
		return
	}
	kind := task.Progress
	if r.Kind == task.ReportDone { // the agent says that the whole plan is done; the review will tell
		kind = task.Done
		for next, ok := t.status.Plan.Next(); ok; next, ok = t.status.Plan.Next() {
			t.set(next.ID, task.Passed, "")
		}
	}
	t.set(d.ID, task.Passed, "")
	t.remember(ctx, string(kind), d.ID+": "+r.Text)
	t.say(ctx, "deliverable", "%s passed: %s", d.ID, firstLine(r.Text))
	t.show(ctx, signals.Notice{})
}

func (t *pipeline) set(id string, s task.Status, reason string) {
	if p, err := t.status.Plan.WithStatus(id, s, reason); err == nil { // the id comes from this plan
		t.status.Plan = &p
	}
}

func (t *pipeline) blockers() string {
	text := "every deliverable is blocked"
	for _, d := range t.status.Plan.Deliverables {
		text += "\n" + d.ID + ": " + d.Reason
	}
	return text
}
