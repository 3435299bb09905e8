package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
)

// native runs one ask of a session of Longshift's own agent, as a workflow of its own, and passes on to it what people say meanwhile. A
// session that fails keeps its conversation as far as it came.
func (se *sessions) native(ctx workflow.Context, s *session, in activities.SessionInput, res *activities.SessionResult) error {
	info := workflow.GetInfo(ctx)
	in.Next = nil // there is no process to start ahead
	run := SessionRun{
		Open: activities.OpenInput{SessionInput: in, Head: s.head,
			Task: activities.Workflow{ID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID}},
		Assignment: se.assignment.Assignment, About: s.summary(),
		Limits: SessionLimits{Steps: max(1, se.settings.Native.Steps), Time: in.Wall}, Used: *s.on(se.assignment.Host),
	}
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:          signals.SessionID(info.WorkflowExecution.ID, in.N),
		WorkflowTaskTimeout: signals.WorkflowTaskTimeout, WaitForCancellation: true, StaticSummary: s.summary(),
	}), signals.AgentSession, run)
	to, stop := workflow.NewDisconnectedContext(ctx) // a session that is cancelled ends in good order
	defer stop()
	se.inbox.live = true
	defer func() { se.inbox.live = false }()
	for {
		_ = workflow.Await(to, func() bool { return child.IsReady() || len(se.inbox.tells) > 0 && ctx.Err() == nil })
		if child.IsReady() {
			break
		}
		se.passOn(to, s, child)
	}
	err := child.Get(ctx, res)
	switch {
	case err != nil:
		if p, ok := progressOf(err); ok {
			s.head = p.Head
			*s.on(se.assignment.Host) = p.Usage
			se.budget.count(s)
			se.budget.worked(p.Worked)
		}
	case res.Kind == agent.Completed: // what came too late is for the next session
		s.head = res.Head
		heard := min(res.Messages, len(s.input.Prompt.Messages))
		se.inbox.untell(s.input.Prompt.Messages[heard:])
		s.input.Prompt.Messages = s.input.Prompt.Messages[:heard:heard]
	default:
		s.head = res.Head
	}
	return err
}

// toldTime tells whether native has counted the running time of an ask that failed. The heartbeat of the act that was cut off tells it once more,
// with what it has waited for; the time of that act alone, which nobody knows, does not count.
func toldTime(ctx workflow.Context, err error) bool {
	_, told := progressOf(err)
	return told && workflow.GetVersion(ctx, nativeOnce, workflow.DefaultVersion, 1) >= 1
}

// passOn signals the messages of people to a session. One that ends meanwhile is told of them when it continues.
func (se *sessions) passOn(ctx workflow.Context, s *session, child workflow.ChildWorkflowFuture) {
	for _, m := range se.inbox.takeTells() {
		s.input.Prompt.Messages = append(s.input.Prompt.Messages, m)
		told := signals.SessionMessage{N: len(s.input.Prompt.Messages), Text: m.Quote()}
		_ = child.SignalChildWorkflow(ctx, signals.SessionTell, told).Get(ctx, nil)
	}
}
