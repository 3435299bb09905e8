package tasks

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/visibility"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// describer is what finding a task by its id needs.
type describer interface {
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	visibility.Lister
}

// Found is a task on the server.
type Found struct {
	ID, Run string
	first   string // the run that the task began with
	status  enumspb.WorkflowExecutionStatus
	row     Row
}

func (f Found) Running() bool { return f.status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING }

// Find looks a task up: by its whole id, or by a beginning or end of it that only one running task has.
func (t *Tasks) Find(ctx context.Context, c describer, given string) (Found, error) {
	f, err := t.describe(ctx, c, given)
	if err == nil || fault.KindOf(err) != fault.NotFound {
		return f, err
	}
	for _, query := range []string{RunningTasks, AllTasks} {
		matches, err := t.matching(ctx, c, query, given)
		if err != nil {
			return Found{}, err
		}
		switch len(matches) {
		case 0:
		case 1:
			return t.describe(ctx, c, matches[0])
		default:
			return Found{}, fault.New(fault.Input, "task %q is ambiguous:\n  %s", given, strings.Join(matches, "\n  ")).
				WithHint("give more of its id")
		}
	}
	return Found{}, fault.New(fault.NotFound, "no task %q", given).WithHint("see `longshift list`")
}

// describe looks a task up by its whole id.
func (t *Tasks) describe(ctx context.Context, c describer, id string) (Found, error) {
	call, cancel := server.Answer(ctx)
	defer cancel()
	d, err := c.DescribeWorkflowExecution(call, id, "")
	var invalid *serviceerror.InvalidArgument
	if errors.As(err, &invalid) {
		return Found{}, fault.New(fault.NotFound, "no task %q", id).WithHint("see `longshift list`")
	}
	if err != nil {
		return Found{}, t.server.Explain(err, id)
	}
	info := d.GetWorkflowExecutionInfo()
	if kind := info.GetType().GetName(); kind != signals.CodingTask && kind != signals.PullRequestFlow {
		return Found{}, fault.New(fault.NotFound, "%q is not a task but a %s workflow", id, kind).WithHint("see `longshift list`")
	}
	r := readRow(info)
	return Found{ID: r.ID, Run: r.RunID, first: info.GetFirstRunId(), status: info.GetStatus(), row: r}, nil
}

// matching returns the ids, at most ten, that begin or end with part.
func (t *Tasks) matching(ctx context.Context, c visibility.Lister, query, part string) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	err := t.Each(ctx, c, query, 1000, func(r Row) bool {
		if !seen[r.ID] && part != "" && (strings.HasPrefix(r.ID, part) || strings.HasSuffix(r.ID, part)) {
			seen[r.ID] = true
			ids = append(ids, r.ID)
		}
		return len(ids) < 10
	})
	return ids, err
}

// StillRunning refuses what only a running task can take.
func (f Found) StillRunning() error {
	if f.Running() {
		return nil
	}
	outcome := f.row.Outcome
	if outcome == "" {
		outcome = task.Outcome(strings.ToLower(f.status.String()))
	}
	next := "`longshift retry` starts it again"
	if f.row.PullRequest != "" {
		next = "`longshift follow-up` starts another one on top of its work"
	}
	return fault.New(fault.Conflict, "task %s has ended: %s", f.ID, outcome).WithHint("see `longshift show %s`; %s", f.ID, next)
}

// Complete offers the ids of running tasks. It gives up soon: a person waits at the shell.
func (t *Tasks) Complete(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return t.complete(c.Context(), args, RunningTasks)
}

// CompleteEnded offers the ids of ended tasks, the last to end first.
func (t *Tasks) CompleteEnded(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return t.complete(c.Context(), args, EndedTasks)
}

// CompleteAll offers the ids of all tasks, those that run first.
func (t *Tasks) CompleteAll(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return t.complete(c.Context(), args, AllTasks)
}

func (t *Tasks) complete(ctx context.Context, args []string, query string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	cl, err := t.server.Connect(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	err = t.Each(ctx, cl, query, 100, func(r Row) bool {
		ids = append(ids, r.ID)
		return true
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
