package cli

import (
	"context"
	"errors"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// describer is what finding a task by its id needs.
type describer interface {
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	lister
}

// found is a task on the server.
type found struct {
	id, run string
	status  enumspb.WorkflowExecutionStatus
	row     row
}

func (f found) running() bool { return f.status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING }

// find looks a task up: by its whole id, or by a beginning or end of it that only one running task has.
func (p *program) find(ctx context.Context, c describer, given string) (found, error) {
	f, err := p.describe(ctx, c, given)
	if err == nil || fault.KindOf(err) != fault.NotFound {
		return f, err
	}
	for _, query := range []string{runningTasks, allTasks} {
		matches, err := p.matching(ctx, c, query, given)
		if err != nil {
			return found{}, err
		}
		switch len(matches) {
		case 0:
		case 1:
			return p.describe(ctx, c, matches[0])
		default:
			return found{}, fault.New(fault.Input, "task %q is ambiguous:\n  %s", given, strings.Join(matches, "\n  ")).
				WithHint("give more of its id")
		}
	}
	return found{}, fault.New(fault.NotFound, "no task %q", given).WithHint("see `longshift list`")
}

// describe looks a task up by its whole id.
func (p *program) describe(ctx context.Context, c describer, id string) (found, error) {
	call, cancel := answer(ctx)
	defer cancel()
	d, err := c.DescribeWorkflowExecution(call, id, "")
	var invalid *serviceerror.InvalidArgument
	if errors.As(err, &invalid) {
		return found{}, fault.New(fault.NotFound, "no task %q", id).WithHint("see `longshift list`")
	}
	if err != nil {
		return found{}, p.explain(err, id)
	}
	info := d.GetWorkflowExecutionInfo()
	if kind := info.GetType().GetName(); kind != signals.CodingTask && kind != signals.PullRequestFlow {
		return found{}, fault.New(fault.NotFound, "%q is not a task but a %s workflow", id, kind).WithHint("see `longshift list`")
	}
	r := readRow(info)
	return found{id: r.ID, run: r.RunID, status: info.GetStatus(), row: r}, nil
}

// matching gives the ids, at most ten, that begin or end with part.
func (p *program) matching(ctx context.Context, c lister, query, part string) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	err := p.eachTask(ctx, c, query, 1000, func(r row) bool {
		if !seen[r.ID] && part != "" && (strings.HasPrefix(r.ID, part) || strings.HasSuffix(r.ID, part)) {
			seen[r.ID] = true
			ids = append(ids, r.ID)
		}
		return len(ids) < 10
	})
	return ids, err
}

// stillRunning refuses what only a running task can take.
func (f found) stillRunning() error {
	if f.running() {
		return nil
	}
	outcome := f.row.Outcome
	if outcome == "" {
		outcome = task.Outcome(strings.ToLower(f.status.String()))
	}
	return fault.New(fault.Conflict, "task %s has ended: %s", f.id, outcome).WithHint("see `longshift show %s`", f.id)
}
