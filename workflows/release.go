package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
)

// release gives admissions back: those that which selects, or all when it is nil. r says more about it. A task that was cancelled
// meanwhile releases them too: its limiter would not notice before the lease ends.
func (ad *admissions) release(ctx workflow.Context, r signals.ReleaseRequest, which func(*admission) bool) {
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	info := workflow.GetInfo(ctx)
	r.Workflow, r.Run = info.WorkflowExecution.ID, info.FirstRunID
	sent := map[*admission]workflow.Future{}
	for _, one := range ad.all {
		if !one.asked || which != nil && !which(one) {
			continue
		}
		request := r
		if one.granted {
			request.Spent = max(ad.status.Usage.CostUSD-one.before, 0)
		}
		if one.shared { // it limits money alone
			request.Pull, request.Failed = nil, false
		}
		ad.requests++
		in := activities.ReleaseInput{Repository: ad.def.repo, All: one.shared, Request: request, N: ad.requests}
		sent[one] = workflow.ExecuteActivity(ad.assignment.control(ctx, "let the next one work"), control.ReleaseAdmission, in)
	}
	for _, one := range ad.all {
		if sent[one] == nil {
			continue
		}
		err := sent[one].Get(ctx, nil)
		if err != nil {
			ad.status.Warnings = append(ad.status.Warnings, "an admission was not released: "+message(err))
		}
		one.granted, one.ceiling, one.asked = false, 0, err != nil
	}
}

// pullClosed notifies the limiter that the pull request which this workflow follows is no longer open.
func (ad *admissions) pullClosed(ctx workflow.Context) error {
	if ad.closing == "" {
		return nil
	}
	ad.requests++
	info := workflow.GetInfo(ctx)
	in := activities.ReleaseInput{Limiter: ad.closing, N: ad.requests,
		Request: signals.ReleaseRequest{Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID, Closed: info.WorkflowExecution.ID}}
	return workflow.ExecuteActivity(ad.assignment.control(ctx, "its pull request is open no more"), control.ReleaseAdmission, in).Get(ctx, nil)
}

// limiter returns the workflow id of the limiter that has admitted the task: the repository's, where there is one; "" when it has asked none.
func (ad *admissions) limiter() (id string) {
	for _, one := range ad.all {
		if !one.shared {
			return one.limiter
		}
		id = one.limiter
	}
	return id
}
