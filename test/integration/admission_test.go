package integration

import (
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// What follows a pull request continues as new, and each run of it counts its requests to a limiter from one. The limiter hears them all:
// here the place is somebody else's when the second run asks.
func TestAdmissionOfALaterRun(t *testing.T) {
	t.Parallel()
	a := newArriving(t, lab.QuickSettings, "LONGSHIFT_ROLE=control")
	w := worker.New(a.Client, "askers", worker.Options{})
	w.RegisterWorkflow(asksInEachRun)
	w.RegisterWorkflow(goesOn)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	other, err := a.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: "askers"}, goesOn)
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: "askers"}, asksInEachRun, other.GetID(), other.GetRunID(), false)
	if err != nil {
		t.Fatal(err)
	}
	var answer signals.AcquireAnswer
	if err := run.Get(t.Context(), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Admitted || answer.Wait == "" {
		t.Errorf("the second run was told %+v although another task has the only place", answer)
	}
}

// goesOn is a workflow that has no end.
func goesOn(ctx workflow.Context) error { return workflow.Await(ctx, func() bool { return false }) }

// asksInEachRun is admitted in its first run, gives its place to another workflow, and asks again in its second run.
func asksInEachRun(ctx workflow.Context, other, otherRun string, later bool) (a signals.AcquireAnswer, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: signals.Queue, StartToCloseTimeout: time.Minute})
	info := workflow.GetInfo(ctx)
	var limiters *activities.Limiters
	acquire := func(n int, by, run string) (a signals.AcquireAnswer, err error) {
		in := activities.AcquireInput{Repository: task.Repository{Text: lab.Name, Owner: "acme", Name: "calc"}, N: n,
			Request: signals.AcquireRequest{Workflow: by, Run: run, Guard: task.Guard{Sessions: 1}}}
		err = workflow.ExecuteActivity(ctx, limiters.AcquireAdmission, in).Get(ctx, &a)
		return a, err
	}
	if a, err = acquire(1, info.WorkflowExecution.ID, info.FirstRunID); err != nil || later || !a.Admitted {
		return a, err
	}
	out := activities.ReleaseInput{Limiter: a.Limiter, N: 2,
		Request: signals.ReleaseRequest{Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID}}
	if err := workflow.ExecuteActivity(ctx, limiters.ReleaseAdmission, out).Get(ctx, nil); err != nil {
		return a, err
	}
	if _, err := acquire(3, other, otherRun); err != nil {
		return a, err
	}
	return a, workflow.NewContinueAsNewError(ctx, asksInEachRun, other, otherRun, true)
}
