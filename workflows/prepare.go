package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// limitAdded is the change since which the operator's limits hold for what was added to the budget before the settings were known, too.
const limitAdded = "limit-added"

// prepare finds a host, has it make the workspace and learns the settings. A repository that can't be had ends the task;
// one that is refused waits for a person.
func (t *pipeline) prepare(ctx workflow.Context) error {
	if t.def.guard().None() {
		t.journal.enter(ctx, task.Preparing)
	} else {
		t.status.Phase = task.Queued // it was started with this phase, and keeps it until it is admitted
	}
	var checked activities.Checked
	check := func() error {
		return workflow.ExecuteActivity(t.assignment.control(ctx, "is there a forge for it?"), control.CheckForge, t.def.repo).Get(ctx, &checked)
	}
	run := check
	if t.def.sourced() { // nobody who started it would see it fail
		run = func() error { return t.parking.insist(ctx, check) }
	}
	if err := run(); err != nil {
		return err
	}
	t.runner.bounds = checked.Bounds
	t.journal.notices.open(ctx, checked.Rooms)
	if err := t.arrive(ctx, checked); err != nil {
		return err
	}
	if err := t.forkOff(ctx); err != nil {
		return err
	}
	if err := t.parking.insist(ctx, func() error { return t.runner.assign(ctx) }); err != nil {
		return err
	}
	s := t.settings
	t.status.Agent, t.status.Iterations, t.status.Notify = s.Agent, s.Iterations, &s.Notify
	added := t.status.BudgetUSD // by a person, before the settings were known
	t.status.BudgetUSD += s.Budget.Cost
	if most := t.admissions.ceiling(); added > 0 && t.budget.passes(ctx, most) { // what was added by then was asked for, too
		t.status.BudgetUSD = most
		t.journal.say(ctx, "budget", "what was added before the settings were known is limited; %s are reserved of a day's budget", usd(most))
	} else if most > 0 {
		t.admissions.keepTo(ctx, most+added)
	}
	t.status.BudgetTime += s.Budget.Time.Std()
	if cost, running := t.budget.over(); (cost || running) && workflow.GetVersion(ctx, limitAdded, workflow.DefaultVersion, 1) >= 1 {
		t.journal.say(ctx, "budget", "what was added before the settings were known is limited%s", t.budget.raise(ctx, 0, 0))
	}
	from := t.status.Base
	if t.status.BaseCommit != "" {
		from += " at " + short(t.status.BaseCommit)
	}
	t.journal.say(ctx, "prepared", "host %s, branch %s from %s", t.assignment.Host, t.status.Branch, from)
	t.journal.show(ctx, signals.Notice{})
	return nil
}

// arrive waits for the task's admission, and claims the work at its source.
func (t *pipeline) arrive(ctx workflow.Context, known activities.Checked) error {
	t.admissions.require(known)
	if t.admissions.needed() {
		priority := signals.PriorityPerson
		if o := t.def.input.Origin; o != nil {
			priority = signals.IntakePriority(o.Priority)
		}
		if _, err := t.admissions.acquire(ctx, priority); err != nil {
			return err
		}
	}
	if t.status.Phase == task.Queued {
		t.journal.enter(ctx, task.Preparing)
	}
	return t.origin.claim(ctx)
}

// forkOff finds or makes the fork that takes the task's branch, where the input wants one.
func (t *pipeline) forkOff(ctx workflow.Context) error {
	if !t.def.input.Fork {
		return nil
	}
	err := t.parking.insist(ctx, func() error {
		ctx := t.assignment.control(ctx, "find or make the fork")
		return workflow.ExecuteActivity(ctx, pulls.ForkRepository, activities.ForkInput{Repository: t.def.repo}).Get(ctx, &t.def.fork)
	})
	if err == nil {
		t.journal.say(ctx, "fork", "branches go to %s", t.def.fork.Text)
	}
	return err
}
