package listen

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// startIssue starts the one task of an issue. One that runs already is that one. Title and body are by anybody: they are what the task
// is about, and no part of the order.
func (e *Ear) startIssue(ctx context.Context, who channel.Event, d deed, r task.Repository, issue task.Issue, again enumspb.WorkflowIdReusePolicy) (string, error) {
	if issue.Number < 1 {
		return e.refuse(ctx, who, d, "an issue without a number", "There is no issue to work on.").Text, nil
	}
	order := fmt.Sprintf("Resolve issue #%d", issue.Number)
	issue.Title, issue.Body = e.c.Redact(issue.Title), e.c.Redact(issue.Body)
	in := task.Input{Repository: r.Text, Task: order + ".", Issue: &issue, RequestedBy: &task.Person{Name: who.User.Name, Via: viaGitHub}}
	a, err := e.perform(ctx, who, d, func(ctx context.Context) (done, error) {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		o := startOptions(d.task, r, in)
		if title := oneLine(issue.Title); title != "" {
			o.StaticSummary = task.Literally(clip(order+": "+title, 180))
		}
		o.WorkflowIDReusePolicy, o.Memo, o.WorkflowExecutionErrorWhenAlreadyStarted = again, map[string]any{memoRequest: d.delivery}, true
		_, err := e.c.Client.ExecuteWorkflow(ctx, o, signals.CodingTask, in)
		var before *serviceerror.WorkflowExecutionAlreadyStarted
		if errors.As(err, &before) { // and has ended
			return done{answer: "This issue has had its task: " + e.mono(d.task) + ". Write `/longshift run` to start it again.", reason: "had its task"}, nil
		}
		if err != nil {
			return done{}, noAnswer(err)
		}
		return done{answer: "Task " + e.mono(d.task) + " works on it.", reason: "started"}, nil
	})
	return a.Text, err
}

// memoRequest is the key of a task's memo that names the request which started it.
const memoRequest = "request"

// requestOf reads which request has started a workflow.
func requestOf(d *workflowservice.DescribeWorkflowExecutionResponse) (id string) {
	if p, ok := d.GetWorkflowExecutionInfo().GetMemo().GetFields()[memoRequest]; ok {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &id) // what can't be read is no request of ours
	}
	return id
}
