package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// decidesFirst is the change since which a decision on the plan is shown before the task waits to be admitted again, which may take days.
const decidesFirst = "decides-first"

// approve waits for a decision on the plan. An edit sends the plan back and the wait starts again with the next revision.
func (t *pipeline) approve(ctx workflow.Context) error {
	if !t.asks() {
		if t.settings.Approval.Mode == "none" { // nobody wants to see plans
			t.status.Plan.Opens = t.status.Plan.NamedFiles()
		}
		return nil
	}
	for {
		d, yielded, err := t.decide(ctx)
		if err != nil {
			return err
		}
		switch d.name {
		case signals.Approve:
			t.journal.say(ctx, "approved", "plan revision %d approved by %s", t.status.Plan.Revision, d.by)
			t.status.Plan.Opens = t.status.Plan.NamedFiles()
			t.settled(ctx)
			if d.text != "" {
				t.inbox.tell(d.by, d.text)
			}
			return t.admit(ctx, yielded)
		case signals.Reject:
			t.journal.say(ctx, "rejected", "plan revision %d rejected by %s", t.status.Plan.Revision, d.by)
			t.settled(ctx)
			return end(task.Rejected, "%s", d.text)
		}
		t.journal.say(ctx, "edit", "%s asks for a change of the plan: %s", d.by, firstLine(d.text))
		t.settled(ctx)
		t.edit = &d
		if err := t.admit(ctx, yielded); err != nil {
			return err
		}
		if err := t.plan(ctx); err != nil {
			return err
		}
	}
}

// settled shows in chats that the plan has its decision.
func (t *pipeline) settled(ctx workflow.Context) {
	t.journal.show(ctx, signals.Notice{Subject: signals.SubjectPlan, Revision: t.status.Plan.Revision, Settled: true})
}

// asks tells whether this plan needs a decision: the first one does, a plan after a review only when the settings say so.
func (f facts) asks() bool {
	a := f.settings.Approval
	return a.Mode != "none" && (f.status.Iteration == 1 || a.Again)
}

// admit waits until the task is admitted again, when it has yielded its admissions.
func (t *pipeline) admit(ctx workflow.Context, yielded bool) error {
	if !yielded {
		return nil
	}
	_, err := t.admissions.acquire(ctx, signals.PriorityResume)
	return err
}

// decide waits for a decision on the plan, and tells whether the task has yielded its admissions meanwhile.
func (t *pipeline) decide(ctx workflow.Context) (d decision, yielded bool, err error) {
	t.inbox.clearDecision()
	t.status.Reason, t.status.NeedsHuman = signals.ReasonApproval, true
	t.status.NextAction = "`approve`, `edit` or `reject` the plan"
	auto := t.settings.Approval.Mode != "required"
	if auto {
		t.status.WaitingUntil = workflow.Now(ctx).Add(t.settings.Approval.After.Std())
	}
	t.journal.enter(ctx, task.Approving)
	t.journal.show(ctx, signals.Notice{Subject: signals.SubjectPlan, Revision: t.status.Plan.Revision})
	decided := func() {
		t.status.Reason, t.status.NeedsHuman, t.status.NextAction, t.status.WaitingUntil = "", false, "", time.Time{}
	}
	defer decided()
	made := func() bool { return t.inbox.decided() != nil }
	if !auto {
		yielded = t.admissions.yield(ctx, signals.ReasonApproval)
		if err := workflow.Await(ctx, made); err != nil {
			return d, false, err
		}
		d = *t.inbox.decided()
		if !yielded || d.name == signals.Reject || workflow.GetVersion(ctx, decidesFirst, workflow.DefaultVersion, 1) >= 1 {
			return d, yielded, nil
		}
		decided()
		return d, false, t.admit(ctx, yielded)
	}
	if err := timer(ctx, t.settings.Approval.After.Std(), "plan is approved when this runs out", made); err != nil {
		return d, false, err
	}
	if !made() {
		t.inbox.decide(decision{name: signals.Approve, by: "the timer"}) // who comes later is told that there is nothing to decide
	}
	return *t.inbox.decided(), false, nil
}
