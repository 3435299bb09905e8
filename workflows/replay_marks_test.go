package workflows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
)

// story is what a history tells of a workflow.
type story struct {
	t     *testing.T
	marks []string
	roles string
	types map[int64]string               // activity types by the event that scheduled them
	asked map[string]int                 // asks of each session
	shown map[int64]activities.ShowInput // by the event that scheduled it
	posts map[string]int                 // new messages by what they are about
}

// marks reads a history and gives what happened in it, in words that a test can look for.
func marks(t *testing.T, h *historypb.History) []string {
	t.Helper()
	s := &story{t: t, types: map[int64]string{}, asked: map[string]int{}, shown: map[int64]activities.ShowInput{},
		posts: map[string]int{}}
	s.add("workflow %s", typeOf(h))
	for _, e := range h.Events {
		s.message(e)
		s.timer(e)
		s.step(e)
		s.outside(e)
	}
	s.end(last(h))
	s.add("sessions %s", s.roles)
	if status, ok := resultOf(t, h); ok {
		s.status(status)
	}
	slices.Sort(s.marks)
	return slices.Compact(s.marks)
}

func (s *story) add(format string, args ...any) {
	s.marks = append(s.marks, fmt.Sprintf(format, args...))
}

func (s *story) message(e *historypb.HistoryEvent) {
	if a := e.GetWorkflowExecutionUpdateAcceptedEventAttributes(); a != nil {
		s.add("update %s", a.GetAcceptedRequest().GetInput().GetName())
	}
	if a := e.GetWorkflowExecutionSignaledEventAttributes(); a != nil {
		s.add("signal %s", a.SignalName)
	}
	if e.GetWorkflowExecutionCancelRequestedEventAttributes() != nil {
		s.add("cancel requested")
	}
}

func (s *story) timer(e *historypb.HistoryEvent) {
	if e.GetTimerFiredEventAttributes() != nil {
		s.add("timer fired")
	}
	if e.GetTimerCanceledEventAttributes() != nil {
		s.add("timer canceled")
	}
}

func (s *story) step(e *historypb.HistoryEvent) {
	if a := e.GetActivityTaskScheduledEventAttributes(); a != nil {
		s.types[e.EventId] = a.ActivityType.Name
		s.add("activity %s", a.ActivityType.Name)
		s.add("queue %s", a.TaskQueue.Name)
		switch a.ActivityType.Name {
		case "RunAgent":
			s.session(a.Input)
		case "Show":
			s.shown[e.EventId] = inputOf[activities.ShowInput](s.t, a.Input)
		}
	}
	if a := e.GetActivityTaskStartedEventAttributes(); a != nil && a.Attempt > 1 {
		s.add("retried %s", s.types[a.ScheduledEventId])
	}
	if a := e.GetActivityTaskCompletedEventAttributes(); a != nil && s.types[a.ScheduledEventId] == "Show" {
		s.display(s.shown[a.ScheduledEventId])
	}
	if a := e.GetActivityTaskCanceledEventAttributes(); a != nil {
		s.add("activity canceled %s", s.types[a.ScheduledEventId])
	}
	if a := e.GetActivityTaskFailedEventAttributes(); a != nil {
		s.add("activity failed %s", a.Failure.GetApplicationFailureInfo().GetType())
	}
	if a := e.GetActivityTaskTimedOutEventAttributes(); a != nil {
		s.add("timeout %s", a.Failure.GetTimeoutFailureInfo().GetTimeoutType())
		if beat := a.Failure.GetTimeoutFailureInfo().GetLastHeartbeatDetails(); beat != nil {
			s.add("last beat")
		}
	}
}

// session notes what was asked of an agent.
func (s *story) session(input *commonpb.Payloads) {
	in := inputOf[activities.SessionInput](s.t, input)
	s.roles += string(in.Role[:1])
	if in.Nudge {
		s.add("nudge")
	}
	if s.asked[in.ID]++; s.asked[in.ID] == 2 {
		s.add("same session twice")
	}
}

// inputOf reads what a step was given, or what a marker notes.
func inputOf[T any](t *testing.T, input *commonpb.Payloads) (in T) {
	t.Helper()
	if err := converter.GetDefaultDataConverter().FromPayloads(input, &in); err != nil {
		t.Fatalf("read what the history holds: %v", err)
	}
	return in
}

func (s *story) end(e *historypb.HistoryEvent) {
	if a := e.GetWorkflowExecutionFailedEventAttributes(); a != nil {
		s.add("end failed %s", a.Failure.GetApplicationFailureInfo().GetType())
	}
	switch e.EventType {
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
		s.add("end canceled")
	case completed:
		s.add("end completed")
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
		s.add("end continued")
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
		s.add("end terminated")
	}
}

func (s *story) status(status signals.Status) {
	s.add("outcome %s", status.Outcome)
	s.add("fence %d", status.Fence)
	s.add("iteration %d", status.Iteration)
	s.add("rounds %d", status.Rounds)
	if status.Plan != nil {
		s.add("revision %d", status.Plan.Revision)
	}
	for _, l := range status.Log {
		why, _, _ := strings.Cut(l.Text, ":")
		s.add("log %s", l.Kind)
		s.add("log %s %s", l.Kind, why)
	}
}

// resultOf reads the status that a task ended with, wherever its ending keeps it. A task with a wrong input has none, and neither
// has what goes on in a new run, or what is no task.
func resultOf(t *testing.T, h *historypb.History) (signals.Status, bool) {
	t.Helper()
	var status signals.Status
	var hint string
	dc := converter.GetDefaultDataConverter()
	e := last(h)
	var err error
	switch {
	case !givesStatus(h), e.GetWorkflowExecutionContinuedAsNewEventAttributes() != nil:
		return status, false
	case e.GetWorkflowExecutionCompletedEventAttributes() != nil:
		err = dc.FromPayloads(e.GetWorkflowExecutionCompletedEventAttributes().Result, &status)
	case e.GetWorkflowExecutionCanceledEventAttributes() != nil:
		err = dc.FromPayloads(e.GetWorkflowExecutionCanceledEventAttributes().Details, &status)
	case e.GetWorkflowExecutionFailedEventAttributes() != nil:
		details := e.GetWorkflowExecutionFailedEventAttributes().Failure.GetApplicationFailureInfo().GetDetails()
		if len(details.GetPayloads()) < 2 {
			return status, false
		}
		err = dc.FromPayloads(details, &hint, &status)
	default:
		t.Fatalf("the history ends with %s", e.EventType)
	}
	if err != nil {
		t.Fatalf("read the result: %v", err)
	}
	return status, true
}
