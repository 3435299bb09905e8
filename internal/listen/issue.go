package listen

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	in := task.Input{Repository: r.Text, Task: issueOrder(issue.Number), Issue: e.asData(issue), RequestedBy: &task.Person{Name: who.User.Name, Via: viaGitHub}}
	a, err := e.perform(ctx, who, d, func(ctx context.Context) (done, error) {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		switch _, before, err := e.beginIssue(ctx, d.task, d.delivery, r, in, again); {
		case err != nil:
			return done{}, err
		case before: // and has ended
			return done{answer: "This issue has had its task: " + e.mono(d.task) + ". Write `/longshift run` to start it again.", reason: "had its task"}, nil
		}
		return done{answer: "Task " + e.mono(d.task) + " works on it.", reason: "started"}, nil
	})
	return a.Text, err
}

// issueOrder is the order of an issue's task, in our words.
func issueOrder(number int) string { return fmt.Sprintf("Resolve issue #%d.", number) }

// asData is an issue as a task takes it.
func (e *Ear) asData(issue task.Issue) *task.Issue {
	issue.Title, issue.Body = e.c.Redact(issue.Title), e.c.Redact(issue.Body)
	return &issue
}

// beginIssue starts the task of an issue, under the id that every way gives it, and gives its run. before tells that there is or was one
// already, which is not started again. request names what asked for it.
func (e *Ear) beginIssue(ctx context.Context, id, request string, r task.Repository, in task.Input, again enumspb.WorkflowIdReusePolicy) (run string, before bool, err error) {
	o := startOptions(id, r, in)
	if title := oneLine(in.Issue.Title); title != "" {
		o.StaticSummary = task.Literally(clip(strings.TrimSuffix(in.Task, ".")+": "+title, 180))
	}
	o.WorkflowIDReusePolicy, o.Memo, o.WorkflowExecutionErrorWhenAlreadyStarted = again, map[string]any{memoRequest: request}, true
	started, err := e.c.Client.ExecuteWorkflow(ctx, o, signals.CodingTask, in)
	var exists *serviceerror.WorkflowExecutionAlreadyStarted
	switch {
	case errors.As(err, &exists):
		return "", true, nil
	case err != nil:
		return "", false, noAnswer(err)
	}
	return started.GetRunID(), false, nil
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
