package tasks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Starter is what starting a task needs of the client.
type Starter interface {
	ExecuteWorkflow(ctx context.Context, options client.StartWorkflowOptions, workflow any, args ...any) (client.WorkflowRun, error)
}

// Start starts the task's workflow and returns the id of its run.
func (t *Tasks) Start(ctx context.Context, c Starter, id string, in task.Input) (string, error) {
	repository, err := task.ParseRepository(in.Repository)
	if err != nil {
		return "", err
	}
	call, cancel := server.Answer(ctx)
	defer cancel()
	run, err := c.ExecuteWorkflow(call, client.StartWorkflowOptions{
		ID: id, TaskQueue: signals.Queue, WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		StaticSummary:       task.Literally(excerpt.Clip(term.FirstLine(in.Task), 180)), StaticDetails: startDetails(in),
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(excerpt.Clip(repository.Text, 255)),
			temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(task.Preparing)),
		),
	}, signals.CodingTask, in)
	var exists *serviceerror.WorkflowExecutionAlreadyStarted
	switch {
	case err == nil:
		return run.GetRunID(), nil
	case errors.As(err, &exists):
		return "", fault.New(fault.Conflict, "task %s is running already", id).
			WithHint("follow it with `longshift status -f %s`, or give another --id", id)
	case ctx.Err() != nil:
		t.printer.Say("interrupted while starting; the task may run: longshift status %s", id)
		return "", term.Exit{Code: fault.ExitInterrupt}
	}
	if server.Unreachable(err) {
		return "", fault.New(fault.Infra, "the Temporal server at %s does not answer; task %s may have been started", t.server.Address(), id).
			WithHint("see `longshift status %s` when it is back", id)
	}
	return "", t.server.Explain(err, id)
}

// startDetails is the Markdown that Temporal Web shows at the top of the task.
func startDetails(in task.Input) string {
	text := fmt.Sprintf("**Repository** %s\n\n", in.Repository)
	if in.RequestedBy != nil && in.RequestedBy.Name != "" {
		text += fmt.Sprintf("**Requested by** %s\n\n", in.RequestedBy.Name)
	}
	for line := range strings.Lines(excerpt.Clip(term.Plain(in.Task), 14000)) { // line by line, so that paragraphs stay
		text += task.Literally(strings.TrimRight(line, "\n")) + "\n"
	}
	return text
}
