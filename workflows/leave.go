package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
)

// leaveAll gives places back: those that which names, or all of them when it is nil. r says more about it. It is done even when the task
// was cancelled meanwhile: a task that still runs is not found out by the lease.
func (t *pipeline) leaveAll(ctx workflow.Context, r signals.LeaveRequest, which func(*turn) bool) {
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	info := workflow.GetInfo(ctx)
	r.Workflow, r.Run = info.WorkflowExecution.ID, info.FirstRunID
	sent := map[*turn]workflow.Future{}
	for _, g := range t.turns.gates {
		if !g.asked || which != nil && !which(g) {
			continue
		}
		one := r
		if g.in {
			one.Spent = max(t.status.Usage.CostUSD-g.before, 0)
		}
		if g.all {
			one.Pull = nil
		}
		t.turns.asked++
		in := activities.LeaveInput{Repository: t.repo, All: g.all, Request: one, N: t.turns.asked}
		sent[g] = workflow.ExecuteActivity(t.control(ctx, "let the next one work"), desk.LeaveGate, in)
	}
	for _, g := range t.turns.gates {
		if sent[g] == nil {
			continue
		}
		err := sent[g].Get(ctx, nil)
		if err != nil {
			t.status.Warnings = append(t.status.Warnings, "a place at the gate was not given back: "+message(err))
		}
		g.in, g.ceiling, g.asked = false, 0, err != nil
	}
}

// yield gives the task's places back while it waits for a person, and tells whether it is to pass its gates again afterwards.
func (t *pipeline) yield(ctx workflow.Context, why signals.Reason) bool {
	source := ""
	if t.input.Origin != nil {
		source = t.input.Origin.Source
	}
	if signals.Holds(why, source) || len(t.turns.gates) == 0 {
		return false
	}
	t.leaveAll(ctx, signals.LeaveRequest{Trouble: why == signals.ReasonErrors || why == signals.ReasonLoop}, nil)
	return true
}

// pullClosed tells a gate that the pull request which this workflow looks after is open no more.
func (t *pipeline) pullClosed(ctx workflow.Context) error {
	if t.turns.closing == "" {
		return nil
	}
	t.turns.asked++
	info := workflow.GetInfo(ctx)
	in := activities.LeaveInput{Gate: t.turns.closing, N: t.turns.asked,
		Request: signals.LeaveRequest{Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID, Closed: info.WorkflowExecution.ID}}
	return workflow.ExecuteActivity(t.control(ctx, "its pull request is open no more"), desk.LeaveGate, in).Get(ctx, nil)
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
