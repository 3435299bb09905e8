package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
)

// leave gives the task's places back, with what it has spent, and names the pull request that stands now. It waits for no answer: a
// place that is not given back is found out when its lease is over.
func (t *pipeline) leave(ctx workflow.Context, pull *signals.OpenPull) []workflow.Future {
	var sent []workflow.Future
	info := workflow.GetInfo(ctx)
	for _, g := range t.turns.gates {
		if !g.asked || g.id == "" {
			continue
		}
		t.turns.asked++
		r := signals.LeaveRequest{Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID}
		if g.in {
			r.Spent = max(t.status.Usage.CostUSD-t.turns.before, 0)
		}
		if !g.all {
			r.Pull = pull
		}
		in := activities.LeaveInput{Gate: g.id, Request: r, N: t.turns.asked}
		sent = append(sent, workflow.ExecuteActivity(t.control(ctx, "let the next one work"), desk.LeaveGate, in))
		g.in, g.asked, g.ceiling = false, false, 0
	}
	return sent
}

// yields tells whether a task that stops for a reason lets others work meanwhile. What would stop them just the same holds the place:
// the next one must not run into the same wall. A question about the specification holds up what comes behind it in a backlog.
func (t *pipeline) yields(why signals.Reason) bool {
	switch why {
	case signals.ReasonQuota, signals.ReasonInfra, signals.ReasonAccess:
		return false
	case signals.ReasonSpecIssue:
		return t.input.Origin == nil || t.input.Origin.Source != "backlog"
	}
	return true
}

// yield gives the task's places back while it waits for a person, and tells whether it had any.
func (t *pipeline) yield(ctx workflow.Context, why signals.Reason) bool {
	if !t.yields(why) || t.turns.gates == nil {
		return false
	}
	t.yieldAll(ctx)
	return true
}

func (t *pipeline) yieldAll(ctx workflow.Context) {
	for _, f := range t.leave(ctx, nil) {
		_ = f.Get(ctx, nil) // the lease frees what could not be given back
	}
}

// close tells a gate that the pull request which this workflow looks after is open no more.
func (t *pipeline) close(ctx workflow.Context) workflow.Future {
	t.turns.asked++
	info := workflow.GetInfo(ctx)
	in := activities.LeaveInput{Gate: t.turns.closing, N: t.turns.asked,
		Request: signals.LeaveRequest{Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID, Closed: info.WorkflowExecution.ID}}
	return workflow.ExecuteActivity(t.control(ctx, "its pull request is open no more"), desk.LeaveGate, in)
}

// repositoryGate is the workflow id of the repository's gate, "" when the task has passed none.
func (t *pipeline) repositoryGate() string {
	for _, g := range t.turns.gates {
		if !g.all {
			return g.id
		}
	}
	return ""
}
