package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// host and desk are typed nil receivers: they name activities, they are never called.
var (
	host *activities.Host
	desk *activities.Control
)

// mostMoves is how many hosts in a row may fail a task before a person is asked.
const mostMoves = 5

// step is one activity on the task's host.
type step struct {
	options func(ctx workflow.Context) workflow.Context
	call    func(ctx workflow.Context) error // runs the activity and keeps its result
	missed  func(err error)                  // told of an attempt that was cut off; may be nil
}

// onHost runs a step on the task's host, and follows the task when the host is gone: it asks whether the host lives,
// and if it does not, another one restores the workspace and the step runs there.
func (t *pipeline) onHost(ctx workflow.Context, s step) error {
	cuts, again := 0, false
	for {
		err := s.call(s.options(ctx))
		if err == nil {
			t.moves = 0
			return nil
		}
		inQuestion, neverStarted := hostInQuestion(err)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case inQuestion:
			if s.missed != nil && !neverStarted {
				s.missed(err)
			}
			there, outage := t.alive(ctx)
			switch lost := !neverStarted && !waited(err) && kindOf(err) != fault.Stopping; { // a worker that stops in good order is a deploy
			case lost && outage: // neither the worker nor what it runs has failed
				t.say(ctx, "host", "host %s did not reach the server for a while; what runs there goes on", t.taken.Host)
			case lost:
				if cuts++; cuts > mostMoves {
					cuts = 0
					if err := t.suspend(ctx, signals.ReasonInfra, "the worker was lost %d times during this step", mostMoves); err != nil {
						return err
					}
				}
			}
			if there {
				continue // it is back, or has taken all the steps that it takes at once
			}
			err = t.take(ctx)
		case kindOf(err) == fault.NotFound && again:
			return err // it is something else that is not there
		case kindOf(err) == fault.NotFound || kindOf(err) == fault.Fenced:
			again = true
			// The workspace is not there any more, or another attempt holds it: take the task anew.
			err = t.take(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// alive asks the host's control queue. outage tells that the host did not hear the server.
func (t *pipeline) alive(ctx workflow.Context) (there, outage bool) {
	var said activities.Alive
	err := workflow.ExecuteActivity(t.probeOptions(ctx), host.Probe).Get(ctx, &said)
	return err == nil, err == nil && said.OutOfTouch
}

// take finds a host for the task and has it make or restore the workspace.
func (t *pipeline) take(ctx workflow.Context) error {
	for {
		t.moves++
		if t.moves > mostMoves {
			t.moves = 0
			if err := t.suspend(ctx, signals.ReasonInfra, "%d hosts in a row failed this task", mostMoves); err != nil {
				return err
			}
		}
		before := t.taken.Host
		if err := workflow.ExecuteActivity(toAnyHost(ctx, "who takes this task?"), host.TakeTask).Get(ctx, &t.taken); err != nil {
			return err
		}
		t.status.Fence++
		t.status.Host = t.taken.Host
		switch {
		case before == "":
		case before == t.taken.Host:
			t.say(ctx, "host", "host %s took the task again", t.taken.Host)
		default:
			t.say(ctx, "host", "host %s is gone, host %s took the task", before, t.taken.Host)
		}
		err := t.workspace(ctx)
		if inQuestion, _ := hostInQuestion(err); err == nil || !inQuestion && kindOf(err) != fault.Fenced {
			return err
		}
	}
}

// workspace has the host make the workspace, or restore it from the checkpoint.
func (t *pipeline) workspace(ctx workflow.Context) error {
	in := activities.PrepareInput{Ref: t.ref(), Repository: t.repo, Fork: t.fork, Base: t.input.Base, Title: t.input.Task,
		Config: t.input.Config, Branch: t.status.Branch, Continue: t.continues, Reported: t.heads()}
	if t.status.Base != "" {
		in.Base = t.status.Base
	}
	var out activities.Prepared
	err := workflow.ExecuteActivity(t.short(ctx, "make the workspace"), host.PrepareWorkspace, in).Get(ctx, &out)
	if err != nil {
		return err
	}
	if t.status.Branch == "" { // settings are those of the first base commit, wherever the task goes on
		t.settings = out.Settings
		t.status.Branch, t.status.Base, t.status.BaseCommit = out.Branch, out.Base, out.BaseCommit
		t.status.Warnings = out.Warnings
		t.maxCost, t.maxTime = out.MaxCost, out.MaxTime
	}
	if t.continues && (!out.Restored || t.status.BaseCommit == "") { // the round begins; what it adds counts from here
		t.status.BaseCommit = out.BaseCommit
	}
	t.status.Head = out.Head
	t.notice(ctx, out.Notes)
	if out.Restored {
		t.say(ctx, "host", "workspace restored from the checkpoint at %s", short(out.Head))
	}
	if out.Behind {
		return &lost{out.Head}
	}
	if t.merging { // a merge that waits for its commit is in no checkpoint
		in := activities.MergeInput{Ref: t.ref(), Round: t.sessions}
		return workflow.ExecuteActivity(t.short(ctx, "merge "+t.status.Base+" again"), host.MergeBase, in).Get(ctx, nil)
	}
	return nil
}

// prepare finds a host, has it make the workspace and learns the settings. A repository that can't be had ends the task;
// one that is refused waits for a person.
func (t *pipeline) prepare(ctx workflow.Context) error {
	if t.guard().None() {
		t.enter(ctx, task.Preparing)
	} else {
		t.status.Phase = task.Queued // so it was started, and so it stays until its turn comes
	}
	var checked activities.Checked
	check := func() error {
		return workflow.ExecuteActivity(t.control(ctx, "is there a forge for it?"), desk.CheckForge, t.repo).Get(ctx, &checked)
	}
	run := check
	if t.sourced() { // nobody who started it would see it fail
		run = func() error { return t.insist(ctx, check) }
	}
	if err := run(); err != nil {
		return err
	}
	t.openTalk(ctx, checked.Rooms)
	if err := t.arrive(ctx, checked); err != nil {
		return err
	}
	if err := t.forkOff(ctx); err != nil {
		return err
	}
	for {
		err := t.take(ctx)
		if err == nil {
			break
		}
		var e *ending
		if ctx.Err() != nil || errors.As(err, &e) || !t.liftable(err) {
			return err
		}
		if err := t.suspendFor(ctx, err); err != nil {
			return err
		}
	}
	s := &t.settings
	t.status.Agent, t.status.Iterations, t.status.Notify = s.Agent, s.Iterations, &s.Notify
	added := t.status.BudgetUSD // by a person, before the settings were known
	t.status.BudgetUSD += s.Budget.Cost
	if most := t.ceiling(); most > 0 {
		t.status.BudgetUSD = min(t.status.BudgetUSD, most+added)
	}
	t.status.BudgetTime += s.Budget.Time.Std()
	t.say(ctx, "prepared", "host %s, branch %s from %s at %s", t.taken.Host, t.status.Branch, t.status.Base, short(t.status.BaseCommit))
	t.show(ctx, signals.Notice{})
	return nil
}

func short(commit string) string {
	if commit == "" {
		return "no commit"
	}
	return commit[:min(len(commit), 10)]
}

// waited tells whether an attempt was cut off while it waited for a slot: it can't have been what killed the worker.
func waited(err error) bool {
	var timeout *temporal.TimeoutError
	var b signals.Beat
	return asError(err, &timeout) && timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&b) == nil && b.Waiting
}

// cut gives the last heartbeat of an attempt that was cut off.
func cut(err error) (signals.Beat, bool) {
	var timeout *temporal.TimeoutError
	var stopping *temporal.ApplicationError
	var b signals.Beat
	switch {
	case asError(err, &timeout) && timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&b) == nil:
		return b, b.Session != ""
	case asError(err, &stopping) && stopping.HasDetails():
		var hint string
		return b, stopping.Details(&hint, &b) == nil && b.Session != ""
	}
	return b, false
}
