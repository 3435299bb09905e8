package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
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
		sent[one] = workflow.ExecuteActivity(ad.assignment.control(ctx, "let the next one work"), limiters.ReleaseAdmission, in)
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

// followed notifies the limiter that nobody follows the pull request any more. Others wait for one that is still open, until the forge says
// that it is not.
func (ad *admissions) followed(ctx workflow.Context) error {
	if ad.closing == "" {
		return nil
	}
	ad.requests++
	info := workflow.GetInfo(ctx)
	in := activities.ReleaseInput{Limiter: ad.closing, N: ad.requests,
		Request: signals.ReleaseRequest{Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID, Closed: info.WorkflowExecution.ID}}
	if o := ad.status.Outcome; o != task.PullMerged && o != task.PullClosed {
		in.Request.Pull = &ad.pull
	}
	why := "nobody follows its pull request now"
	return workflow.ExecuteActivity(ad.assignment.control(ctx, why), limiters.ReleaseAdmission, in).Get(ctx, nil)
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
