package lab

import (
	"bufio"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
)

// Actions are billable actions of Temporal Cloud, by kind.
type Actions map[string]int

// Sum is how many there are.
func (a Actions) Sum() (n int) {
	for _, of := range a {
		n += of
	}
	return n
}

// counted is a line of the server's metrics about the actions of a namespace.
var counted = regexp.MustCompile(`^action\{action_type="([^"]+)",namespace="default".*\} (\d+)$`)

// Counted are the actions since the server was started, as it counts them.
func (s *Server) Counted() Actions {
	s.t.Helper()
	c := http.Client{Timeout: 10 * time.Second}
	resp, err := c.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", s.metrics))
	if err != nil {
		s.t.Fatalf("read the server's metrics: %v", err)
	}
	defer resp.Body.Close()
	all := Actions{}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if m := counted.FindStringSubmatch(lines.Text()); m != nil {
			n, _ := strconv.Atoi(m[2])
			all[m[1]] += n
		}
	}
	return all
}

// kinds are those of the events that are actions, in the server's words.
var kinds = map[enumspb.EventType]string{
	enumspb.EVENT_TYPE_TIMER_STARTED:                                "command_StartTimer",
	enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:                      "command_ScheduleActivityTask",
	enumspb.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED: "command_SignalExternalWorkflowExecution",
	enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:            "command_UpsertWorkflowSearchAttributes",
	enumspb.EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED:                 "command_ModifyWorkflowProperties",
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:          "command_ContinueAsNewWorkflowExecution",
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:           "message_UpdateWorkflowExecution:Acceptance",
	enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:     "command_StartChildWorkflowExecution",
}

// ActionsOf are the actions of a run, by its history. Heartbeats and retries are in none.
func ActionsOf(history []*historypb.HistoryEvent) Actions {
	all, markers := Actions{}, map[int64]bool{}
	for _, e := range history {
		if kind := kinds[e.EventType]; kind != "" {
			all[kind]++
		}
		switch e.EventType {
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
			if of := e.GetWorkflowExecutionStartedEventAttributes(); of.ParentWorkflowExecution == nil && of.ContinuedExecutionRunId == "" {
				all["grpc_StartWorkflowExecution"]++
			}
		case enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED: // counts as two
			all["command_StartChildWorkflowExecution_Extra"]++
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
			if e.GetWorkflowExecutionSignaledEventAttributes().ExternalWorkflowExecution == nil {
				all["grpc_SignalWorkflowExecution"]++
			}
		case enumspb.EVENT_TYPE_MARKER_RECORDED: // those of one workflow task are one
			markers[e.GetMarkerRecordedEventAttributes().WorkflowTaskCompletedEventId] = true
		}
	}
	if len(markers) > 0 {
		all["command_BatchMarkers"] = len(markers)
	}
	return all
}
