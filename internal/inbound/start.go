package inbound

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

type executor interface {
	ExecuteWorkflow(ctx context.Context, options client.StartWorkflowOptions, workflow any, args ...any) (client.WorkflowRun, error)
}

type taskStarter struct {
	client executor
	server server
	render render.Markdown
}

// start starts a task. Its id is that of the event, so that the same event starts it once.
func (s taskStarter) start(ctx context.Context, x start) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	run, err := s.client.ExecuteWorkflow(ctx, startOptions(x), signals.CodingTask, x.input)
	if err != nil {
		return outcome{}, noAnswer(err)
	}
	return s.started("runs in "+s.render.Repository(x.repository.Text), x, run.GetRunID()), nil
}

// started says what a task does.
func (s taskStarter) started(does string, x start, run string) outcome {
	text := "Task " + s.render.Mono(x.task) + " " + does + "." + x.note
	if web := s.render.Web(x.task, run); web != "" {
		text += " " + web
	}
	return outcome{answer: text, reason: "started"}
}

// startIssue starts the task of an issue, unless it has or had one.
func (s taskStarter) startIssue(ctx context.Context, x issueStart) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	run, exists, err := s.execute(ctx, x.start, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
	if err != nil {
		return outcome{}, err
	}
	if exists {
		last, err := s.server.describe(ctx, x.task)
		switch {
		case err != nil:
			return outcome{}, noAnswer(err)
		case last.request != x.delivery && last.closed:
			return s.hadTask(x.task, "Write `/longshift run` at the issue to start it again."), nil
		} // else it runs, or the same message has started it
		run = last.run
	}
	return s.started("works on issue #"+strconv.Itoa(x.number)+" of "+s.render.Literal(x.repository.Text, 200), x.start, run), nil
}

// startFromForge starts the task of an issue for a request from a forge. A running task of the issue counts as started.
func (s taskStarter) startFromForge(ctx context.Context, x forgeStart) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	reuse := enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	if x.restart {
		reuse = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	switch _, exists, err := s.execute(ctx, x.start, reuse); {
	case err != nil:
		return outcome{}, err
	case exists:
		return s.hadTask(x.task, "Write `/longshift run` to start it again."), nil
	}
	return outcome{answer: "Task " + s.render.Mono(x.task) + " works on it.", reason: "started"}, nil
}

func (s taskStarter) hadTask(id, hint string) outcome {
	return outcome{answer: "This issue has had its task: " + s.render.Mono(id) + ". " + hint, reason: "had its task"}
}

// execute starts the task of an issue and returns its run. exists reports that the issue has or had a task, which is not started again.
func (s taskStarter) execute(ctx context.Context, x start, reuse enumspb.WorkflowIdReusePolicy) (run string, exists bool, err error) {
	o := startOptions(x)
	if title := render.OneLine(x.input.Issue.Title); title != "" {
		o.StaticSummary = task.Literally(excerpt.Clip(strings.TrimSuffix(x.input.Task, ".")+": "+title, 180))
	}
	o.WorkflowIDReusePolicy, o.WorkflowExecutionErrorWhenAlreadyStarted = reuse, true
	o.Memo[memoRequest] = x.delivery
	started, err := s.client.ExecuteWorkflow(ctx, o, signals.CodingTask, x.input)
	var already *serviceerror.WorkflowExecutionAlreadyStarted
	switch {
	case errors.As(err, &already):
		return "", true, nil
	case err != nil:
		return "", false, noAnswer(err)
	}
	return started.GetRunID(), false, nil
}

// Keys of a task's memo.
const (
	memoRequest   = "request"   // names the request which started it; only of the task of an issue
	memoRequester = "requester" // who has asked for it in a chat, as personKey names people
)

// issueOrder is the text of an issue's task. The title of the issue is no part of it: anybody can write it.
func issueOrder(number int) string { return fmt.Sprintf("Resolve issue #%d.", number) }

func redacted(issue task.Issue, redact func(string) string) *task.Issue {
	issue.Title, issue.Body = redact(issue.Title), redact(issue.Body)
	return &issue
}

func startOptions(x start) client.StartWorkflowOptions {
	first, _, _ := strings.Cut(x.input.Task, "\n")
	details := "**Repository** " + task.Literally(x.input.Repository) + "\n\n**Requested by** " +
		task.Literally(x.input.RequestedBy.Name) + "\n\n"
	for line := range strings.Lines(excerpt.Clip(x.input.Task, 14000)) { // line by line, so that paragraphs stay
		details += task.Literally(strings.TrimRight(line, "\n")) + "\n"
	}
	memo := map[string]any{}
	if x.requester != "" {
		memo[memoRequester] = x.requester
	}
	return client.StartWorkflowOptions{
		Memo: memo,
		ID:   x.task, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		StaticSummary:            task.Literally(render.Line(first, 180)), StaticDetails: details,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(excerpt.Clip(x.repository.Text, 255)),
			temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(task.Preparing)),
		),
	}
}
