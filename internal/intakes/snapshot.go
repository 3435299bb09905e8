package intakes

import (
	"context"
	"errors"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// Reader is what reading an intake uses of client.Client.
type Reader interface {
	Client
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	GetWorkflow(ctx context.Context, workflowID string, runID string) client.WorkflowRun
	QueryWorkflow(ctx context.Context, workflowID string, runID string, queryType string, args ...any) (converter.EncodedValue, error)
}

// Get reads one intake, with its last look and the tasks that wait for their turn. host is that of the forge which owner/name is on. Without
// a worker the rest is told all the same.
func Get(ctx context.Context, c Reader, name, host string) (Status, error) {
	var s Status
	err := onSchedule(ctx, c, name, func(h client.ScheduleHandle) error {
		d, err := h.Describe(ctx)
		if err != nil {
			return err
		}
		p, ours := d.Memo.GetFields()[memoSpec]
		if !ours || converter.GetDefaultDataConverter().FromPayload(p, &s.Spec) != nil {
			return &serviceerror.NotFound{Message: "not an intake"}
		}
		s.Paused, s.Note = d.Schedule.State.Paused, d.Schedule.State.Note
		s.Runs, s.Missed = d.Info.NumActions, d.Info.NumActionsMissedCatchupWindow
		if len(d.Info.NextActionTimes) > 0 && !s.Paused {
			s.Next = d.Info.NextActionTimes[0]
		}
		if n := len(d.Info.RecentActions); n > 0 {
			last := d.Info.RecentActions[n-1]
			if last.StartWorkflowResult != nil {
				s.Last = &LastLook{Workflow: last.StartWorkflowResult.WorkflowID, Run: last.StartWorkflowResult.FirstExecutionRunID, At: last.ActualTime}
			}
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	if s.Last != nil {
		if err := s.Last.read(ctx, c); err != nil {
			return s, err
		}
	}
	err = s.readQueue(ctx, c, host)
	if fault.KindOf(err) == fault.Infra {
		s.NoGate, err = "no worker answers", nil
	}
	return s, err
}

// read learns how a look went.
func (l *LastLook) read(ctx context.Context, c Reader) error {
	d, err := c.DescribeWorkflowExecution(ctx, l.Workflow, l.Run)
	var gone *serviceerror.NotFound
	switch {
	case errors.As(err, &gone): // longer ago than histories are kept
		return nil
	case err != nil:
		return unreachable(err)
	case d.GetWorkflowExecutionInfo().GetCloseTime() == nil:
		l.Running = true
		if p := d.GetPendingActivities(); len(p) > 0 && p[0].GetLastFailure() != nil {
			l.Error = p[0].GetLastFailure().GetMessage()
		}
		return nil
	}
	var pass signals.PollResult
	err = c.GetWorkflow(ctx, l.Workflow, l.Run).Get(ctx, &pass)
	var app *temporal.ApplicationError
	var timeout *temporal.TimeoutError
	switch {
	case err == nil:
		l.Pass = &pass
	case errors.As(err, &app):
		l.Error = app.Message()
	case errors.As(err, &timeout):
		l.Error = "it took too long: " + timeout.Message()
	default:
		l.Error = err.Error()
	}
	return nil
}

// readQueue asks the repository's gate which tasks of this intake wait. Without a worker nobody knows.
func (s *Status) readQueue(ctx context.Context, c Reader, host string) error {
	r, err := task.ParseRepository(s.Repository)
	if err != nil {
		return err
	}
	s.Gate = signals.LimiterID(host, r)
	var gone *serviceerror.NotFound
	switch d, err := c.DescribeWorkflowExecution(ctx, s.Gate, ""); {
	case errors.As(err, &gone):
		return nil
	case err != nil:
		return unreachable(err)
	case d.GetWorkflowExecutionInfo().GetCloseTime() != nil: // it would still answer
		return nil
	}
	v, err := c.QueryWorkflow(ctx, s.Gate, "", signals.QueryLimiter)
	if err != nil {
		return fault.New(fault.Infra, "ask the gate who waits: %w", err).WithHint("a worker has to run; see `longshift doctor`")
	}
	var state signals.LimiterState
	if err := v.Get(&state); err != nil {
		return fault.New(fault.Internal, "read the gate's answer: %w", err)
	}
	for _, w := range state.Waiters {
		if w.Intake == s.Name {
			s.Queue = append(s.Queue, QueueItem{Task: w.Workflow, For: w.Answer.Wait, Why: w.Answer.Detail})
		}
	}
	return nil
}
