package lab

import (
	"context"
	"errors"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/signals"
)

// Step is the nth completion of an activity type: a boundary between stages.
type Step struct {
	Activity string
	N        int // from 1
}

// OnStep calls f when the step has just completed, as the server's history shows it. It watches until ctx ends.
func (s *Server) OnStep(ctx context.Context, workflowID string, at Step, f func()) {
	go func() {
		for !s.completed(ctx, workflowID, at) { // the server may be away for a moment
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
		f()
	}()
}

// completed waits until the step has completed. It is false when the history can't be read any more, or has ended without the step.
func (s *Server) completed(ctx context.Context, workflowID string, at Step) bool {
	types := map[int64]string{}
	seen := 0
	iter := s.Client.GetWorkflowHistory(ctx, workflowID, "", true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for iter.HasNext() {
		e, err := iter.Next()
		if err != nil {
			return false
		}
		if a := e.GetActivityTaskScheduledEventAttributes(); a != nil {
			types[e.EventId] = a.ActivityType.Name
		}
		if a := e.GetActivityTaskCompletedEventAttributes(); a != nil && types[a.ScheduledEventId] == at.Activity {
			if seen++; seen == at.N {
				return true
			}
		}
	}
	return false
}

func (s *Server) History(t testing.TB, workflowID string) []*historypb.HistoryEvent {
	t.Helper()
	return s.HistoryOf(t, workflowID, "")
}

// HistoryOf is the history of one run.
func (s *Server) HistoryOf(t testing.TB, workflowID, run string) []*historypb.HistoryEvent {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var all []*historypb.HistoryEvent
	iter := s.Client.GetWorkflowHistory(ctx, workflowID, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for iter.HasNext() {
		e, err := iter.Next()
		if err != nil {
			t.Fatalf("read history: %v", err)
		}
		all = append(all, e)
	}
	return all
}

// Status asks a task for its status. ok is false while nobody answers.
func (s *Server) Status(workflowID string) (status signals.Status, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	v, err := s.Client.QueryWorkflow(ctx, workflowID, "", signals.QueryStatus)
	if err != nil || v.Get(&status) != nil {
		return signals.Status{}, false
	}
	return status, true
}

// Begin starts a task with nothing but the Temporal API: one JSON object.
func (s *Server) Begin(t testing.TB, id string, input map[string]any) client.WorkflowRun {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	run, err := s.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: signals.Queue,
		WorkflowTaskTimeout: signals.WorkflowTaskTimeout}, signals.CodingTask, input)
	if err != nil {
		t.Fatalf("start the task: %v", err)
	}
	return run
}

// End waits for the end of a task and gives its result. The client waits no longer than 65 seconds for one answer of the server, with all
// that it asks again: while servers die one after another, none may come.
func (s *Server) End(t testing.TB, run client.WorkflowRun, limit time.Duration) signals.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var status signals.Status
	err := run.Get(ctx, &status)
	for unanswered(err) && ctx.Err() == nil {
		err = run.Get(ctx, &status)
	}
	if err != nil {
		now, _ := s.Status(run.GetID())
		t.Fatalf("the task ended with: %v\nphase %s, %s: %s\nlog: %s", err, now.Phase, now.Reason, now.Detail, Log(now))
	}
	return status
}

func unanswered(err error) bool {
	_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
	return late || errors.Is(err, context.DeadlineExceeded)
}

func Log(s signals.Status) string {
	text := ""
	for _, l := range s.Log {
		text += "\n  " + l.Kind + ": " + l.Text
	}
	return text
}

// Runs returns the histories of all runs of a workflow id, the oldest first.
func (s *Server) Runs(t testing.TB, workflowID string) (all [][]*historypb.HistoryEvent) {
	t.Helper()
	for run := ""; ; {
		var events []*historypb.HistoryEvent
		iter := s.Client.GetWorkflowHistory(t.Context(), workflowID, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for iter.HasNext() {
			e, err := iter.Next()
			if err != nil {
				t.Fatalf("read history: %v", err)
			}
			events = append(events, e)
		}
		all = append([][]*historypb.HistoryEvent{events}, all...)
		if run = events[0].GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId(); run == "" {
			return all
		}
	}
}
