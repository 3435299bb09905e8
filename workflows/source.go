package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// arrive waits for the task's turn, and claims the work where it comes from.
func (t *pipeline) arrive(ctx workflow.Context, known activities.Checked) error {
	t.guarded(known)
	if len(t.turns.gates) > 0 {
		priority := signals.PriorityPerson
		if o := t.input.Origin; o != nil {
			priority = signals.IntakePriority(o.Priority)
		}
		if _, err := t.pass(ctx, priority); err != nil {
			return err
		}
	}
	if t.status.Phase == task.Queued {
		t.enter(ctx, task.Preparing)
	}
	return t.claim(ctx)
}

// sourced tells whether there is a source to be told. What becomes of a pull request is told there by the pull request itself.
func (t *pipeline) sourced() bool {
	return !t.continues && t.input.Origin != nil && t.input.Origin.Source != ""
}

// atSource is what the source is told.
func (t *pipeline) atSource(stage activities.Stage) activities.SourceInput {
	s := &t.status
	in := activities.SourceInput{Stage: stage, Repository: t.repo, Origin: *t.input.Origin, TaskID: s.TaskID, RequestedBy: s.RequestedBy,
		Outcome: s.Outcome, Detail: clip(s.Detail, 500), Reason: s.Reason, Branch: s.Branch, CostUSD: s.Usage.CostUSD, Sessions: len(s.Sessions)}
	if s.PullRequest != nil {
		in.PullRequest = s.PullRequest.URL
	}
	return in
}

// claim takes the work at its source, so that nobody else begins it. Work that is not wanted any more ends the task before it costs
// anything.
func (t *pipeline) claim(ctx workflow.Context) error {
	if !t.sourced() {
		return nil
	}
	t.hasTold(ctx)
	t.claimed = true // unless we hear otherwise: an answer may be lost
	for {
		err := workflow.ExecuteActivity(t.control(ctx, "claim "+t.input.Origin.Key), desk.TellSource, t.atSource(activities.Claimed)).Get(ctx, nil)
		switch kind := kindOf(err); {
		case err == nil || ctx.Err() != nil:
			return err
		case kind == fault.Conflict || kind == fault.NotFound:
			t.claimed = false
			return end(task.Declined, "%s", message(err))
		}
		if err := t.suspendFor(ctx, err); err != nil {
			return err
		}
	}
}

// showQueued tells the source, once, that the task waits. It is a courtesy: a source that does not answer stops nothing.
func (t *pipeline) showQueued(ctx workflow.Context) {
	if t.turns.telling != nil || t.claimed || !t.sourced() {
		return
	}
	in := t.atSource(activities.Waits)
	t.turns.telling = workflow.ExecuteActivity(courtesy(ctx, "show that "+in.Origin.Key+" waits"), desk.TellSource, in)
}

// hasTold waits until the source has been told that the task waits: what comes later must not be overtaken by it. It tells whether there was
// anything to tell.
func (t *pipeline) hasTold(ctx workflow.Context) bool {
	if t.turns.telling == nil {
		return false
	}
	_ = t.turns.telling.Get(ctx, nil)
	return true
}

// depart gives the task's places back, and then tells the source how it ended: the next one may be begun by that.
func (t *pipeline) depart(ctx workflow.Context, followed bool) {
	var pull *signals.OpenPull
	if s := &t.status; t.published(s.Outcome) {
		pull = &signals.OpenPull{Repository: t.repo, Number: s.PullRequest.Number, URL: s.PullRequest.URL}
		if followed {
			pull.Workflow = signals.PullRequestID(t.followed.Host, t.followed.Owner, t.followed.Name, pull.Number)
		}
	}
	o := t.status.Outcome
	t.leaveAll(ctx, signals.LeaveRequest{Pull: pull, Good: o.Good(), Trouble: o == task.Failed}, nil)
	if err := t.pullClosed(ctx); err != nil {
		t.status.Warnings = append(t.status.Warnings, message(err))
	}
	if !t.hasTold(ctx) && !t.claimed {
		return
	}
	err := workflow.ExecuteActivity(t.control(ctx, "report "+t.input.Origin.Key), desk.TellSource, t.atSource(activities.Reported)).Get(ctx, nil)
	if err != nil {
		t.status.Warnings = append(t.status.Warnings, message(err))
	}
}
