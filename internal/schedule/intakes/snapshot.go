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
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Reader is the part of client.Client that is used to read an intake.
type Reader interface {
	Client
	Querier
	GetWorkflow(ctx context.Context, workflowID string, runID string) client.WorkflowRun
}

// Get reads one intake with its last poll and its tasks that wait for admission. host is the forge of owner/name. Without a worker the
// queue is left out.
func Get(ctx context.Context, c Reader, name, host string) (Status, error) {
	var s Status
	err := onSchedule(ctx, c, name, func(h client.ScheduleHandle) error {
		d, err := h.Describe(ctx)
		if err != nil {
			return err
		}
		spec, ours := specIn(d.Memo)
		if !ours {
			return &serviceerror.NotFound{Message: "not an intake"}
		}
		s.Spec, s.Interval = spec, inForce(d.Schedule.Spec)
		s.Paused, s.Note = d.Schedule.State.Paused, d.Schedule.State.Note
		s.Runs, s.Missed = d.Info.NumActions, d.Info.NumActionsMissedCatchupWindow
		if len(d.Info.NextActionTimes) > 0 && !s.Paused {
			s.Next = d.Info.NextActionTimes[0]
		}
		if n := len(d.Info.RecentActions); n > 0 {
			last := d.Info.RecentActions[n-1]
			if last.StartWorkflowResult != nil {
				run := last.StartWorkflowResult
				s.Last = &LastPoll{Workflow: run.WorkflowID, Run: run.FirstExecutionRunID, At: last.ActualTime}
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

func (l *LastPoll) read(ctx context.Context, c Reader) error {
	d, err := c.DescribeWorkflowExecution(ctx, l.Workflow, l.Run)
	var gone *serviceerror.NotFound
	switch {
	case errors.As(err, &gone): // its history has expired
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

// readQueue asks the limiters of the repository and of the whole installation which tasks of this intake wait.
func (s *Status) readQueue(ctx context.Context, c Reader, host string) error {
	r, err := task.ParseRepository(s.Repository)
	if err != nil {
		return err
	}
	s.Limiter = signals.LimiterID(host, r)
	for _, id := range []string{s.Limiter, signals.LimiterOfAll} {
		state, err := LimiterState(ctx, c, id)
		if err != nil {
			return err
		}
		for _, w := range state.Waiters {
			if w.Intake == s.Name {
				s.Queue = append(s.Queue, QueueItem{Task: w.Workflow, For: w.Answer.Wait, Why: w.Answer.Detail})
			}
		}
	}
	return nil
}

// Querier is the part of client.Client that is used to read a limiter.
type Querier interface {
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	QueryWorkflow(ctx context.Context, workflowID string, runID string, queryType string, args ...any) (converter.EncodedValue, error)
}

// LimiterState asks a limiter for its holders and waiters. If the limiter does not run, the state is empty. Only a worker can answer:
// without one the error is of kind Infra.
func LimiterState(ctx context.Context, c Querier, id string) (state signals.LimiterState, err error) {
	var gone *serviceerror.NotFound
	switch d, err := c.DescribeWorkflowExecution(ctx, id, ""); {
	case errors.As(err, &gone):
		return state, nil
	case err != nil:
		return state, unreachable(err)
	case d.GetWorkflowExecutionInfo().GetCloseTime() != nil: // a closed workflow would still answer the query
		return state, nil
	}
	v, err := c.QueryWorkflow(ctx, id, "", signals.QueryLimiter)
	if err != nil {
		return state, fault.New(fault.Infra, "ask the limiter who waits: %w", err).WithHint("a worker has to run; see `longshift doctor`")
	}
	if err := v.Get(&state); err != nil {
		return state, fault.New(fault.Internal, "read the limiter's answer: %w", err)
	}
	return state, nil
}
