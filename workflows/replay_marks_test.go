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

// story is what a history tells of a task.
type story struct {
	t     *testing.T
	marks []string
	roles string
	types map[int64]string // activity types by the event that scheduled them
	asked map[string]int   // asks of each session
}

// marks reads a history and gives what happened in it, in words that a test can look for.
func marks(t *testing.T, h *historypb.History) []string {
	t.Helper()
	s := &story{t: t, types: map[int64]string{}, asked: map[string]int{}}
	for _, e := range h.Events {
		s.message(e)
		s.timer(e)
		s.step(e)
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
		if a.ActivityType.Name == "RunAgent" {
			s.session(a.Input)
		}
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
	var in activities.SessionInput
	if err := converter.GetDefaultDataConverter().FromPayloads(input, &in); err != nil {
		s.t.Fatalf("read the input of a session: %v", err)
	}
	s.roles += string(in.Role[:1])
	if in.Nudge {
		s.add("nudge")
	}
	if s.asked[in.ID]++; s.asked[in.ID] == 2 {
		s.add("same session twice")
	}
}

func (s *story) end(e *historypb.HistoryEvent) {
	if a := e.GetWorkflowExecutionFailedEventAttributes(); a != nil {
		s.add("end failed %s", a.Failure.GetApplicationFailureInfo().GetType())
	}
	if e.EventType == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED {
		s.add("end canceled")
	}
}

func (s *story) status(status signals.Status) {
	s.add("outcome %s", status.Outcome)
	s.add("fence %d", status.Fence)
	s.add("iteration %d", status.Iteration)
	if status.Plan != nil {
		s.add("revision %d", status.Plan.Revision)
	}
	for _, l := range status.Log {
		why, _, _ := strings.Cut(l.Text, ":")
		s.add("log %s", l.Kind)
		s.add("log %s %s", l.Kind, why)
	}
}

// resultOf reads the status that a task ended with, wherever its ending keeps it. A task with a wrong input has none.
func resultOf(t *testing.T, h *historypb.History) (signals.Status, bool) {
	t.Helper()
	var status signals.Status
	var hint string
	dc := converter.GetDefaultDataConverter()
	e := last(h)
	var err error
	switch {
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
