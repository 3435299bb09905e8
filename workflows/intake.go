package workflows

import (
	"cmp"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// IssueIntake polls a source once: new work gets its tasks, in order, up to as many as may wait. A source that does not answer ends the
// poll; the schedule starts the next one.
func IssueIntake(ctx workflow.Context, in signals.IntakeInput) (signals.PollResult, error) {
	repo, err := task.ParseRepository(in.Repository)
	if err != nil {
		return signals.PollResult{}, badInput(err)
	}
	in.Queue = cmp.Or(in.Queue, signals.DefaultQueue)
	var before signals.PollResult
	if workflow.HasLastCompletionResult(ctx) {
		_ = workflow.GetLastCompletionResult(ctx, &before) // a result of another form counts as none
	}
	pollPage(ctx, in, nil)
	var found activities.Found
	request := activities.PollSourceInput{Intake: in, Refused: before.Refused, Quiet: before.Quiet, Passed: before.Passed,
		Now: workflow.Now(ctx)}
	if err := workflow.ExecuteActivity(sourcePoll(ctx, "look at "+in.Source), sources.PollSource, request).Get(ctx, &found); err != nil {
		return signals.PollResult{}, err
	}
	pass := found.PollResult
	for _, w := range found.Work {
		started, err := start(ctx, in, repo, w)
		if err != nil {
			return pass, err
		}
		if started {
			pass.Started = append(pass.Started, w.ID)
		}
	}
	pollPage(ctx, in, &pass)
	return pass, nil
}

// start starts the task of a piece of work, and asks the limiter for its admission, so that tasks of one poll keep their order. The task
// outlives the poll. Its id is that of the work, so there is never a second one; started is false when there was one.
func start(ctx workflow.Context, in signals.IntakeInput, repo task.Repository, w intake.Work) (started bool, err error) {
	input := task.Input{Repository: in.Repository, Task: w.Task, Base: in.Base, Issue: w.Issue, Config: in.Config,
		Origin: &task.Origin{Intake: in.Name, Source: in.Source, Key: w.Key, Sum: w.Sum, Label: in.Label, Assignee: in.Assignee, Team: in.Team,
			Path: in.Path, Priority: w.Priority, Guard: &in.Guard}}
	if w.By != "" {
		input.RequestedBy = &task.Person{Name: w.By, Via: in.Source}
	}
	phase := task.Preparing
	if !in.Guard.None() {
		phase = task.Queued
	}
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: w.ID, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON, WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		StaticSummary: task.Literally(excerpt.Clip(firstLine(w.Task)+" "+w.Title, 180)),
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(excerpt.Clip(repo.Text, 200)),
			temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(phase)),
		),
	}), signals.CodingTask, input)
	var run workflow.Execution
	switch err := child.GetChildWorkflowExecution().Get(ctx, &run); {
	case temporal.IsWorkflowExecutionAlreadyStartedError(err):
		return false, nil
	case err != nil:
		return false, err
	case in.Guard.None():
		return true, nil
	}
	request := activities.AcquireInput{Repository: repo, Request: signals.AcquireRequest{Workflow: run.ID, Run: run.RunID, Intake: in.Name,
		Priority: signals.IntakePriority(w.Priority), Guard: in.Guard, Budget: budgetOf(input), Reserve: true}}
	// The task asks by itself as well: a failure here only costs the order.
	err = workflow.ExecuteActivity(courtesy(ctx, "admission of "+w.Key), limiters.AcquireAdmission, request).Get(ctx, nil)
	if err != nil && ctx.Err() == nil && kindOf(err) != fault.Input {
		workflow.GetLogger(ctx).Warn("No admission by the limiter yet", "task", w.ID, "error", err)
	}
	return true, ctx.Err()
}

// budgetOf returns the budget that an input asks for, else the default.
func budgetOf(in task.Input) float64 {
	if in.Config != nil && in.Config.Budget != nil && in.Config.Budget.Cost != nil {
		return *in.Config.Budget.Cost
	}
	return task.DefaultBudget
}
