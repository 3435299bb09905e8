package integration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// dollars is what a million actions cost in Temporal Cloud at list price.
const dollars = 50.0

// TestActions counts the billable actions of what people leave running, by histories, with which the server's own count has to agree.
func TestActions(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Script(), followed)
	s.Play()
	end := s.Ended()
	if end.Outcome != task.PullRequest || len(end.Commits) != 3 {
		t.Fatalf("outcome %s, %d commits", end.Outcome, len(end.Commits))
	}
	pull := pullOf(s, end.PullRequest.Number)
	lab.Eventually(t, time.Minute, "the pull request was looked at", func() bool { return len(looks(s.History(t, pull))) >= 4 })
	s.GitHub.Merge(lab.Name, end.PullRequest.Number)
	schedules := scheduled{s}
	quiet := schedules.hours(schedules.add("quiet"))
	var all lab.Actions
	runs := map[string][]lab.Actions{}
	lab.Eventually(t, time.Minute, "the server agrees with the histories", func() bool {
		all, runs = lab.Actions{}, map[string][]lab.Actions{}
		for _, e := range executions(t, s) {
			a := lab.ActionsOf(s.HistoryOf(t, e.Execution.WorkflowId, e.Execution.RunId))
			runs[e.Type.Name] = append(runs[e.Type.Name], a)
			for kind, n := range a {
				all[kind] += n
			}
		}
		counted := s.Counted()
		for kind, n := range all {
			// It also counts those of a workflow task that it refuses, because something has come meanwhile, and those of the workflow by which
			// it carries out a schedule, which starts workflows and records markers.
			if kind != "grpc_StartWorkflowExecution" && kind != "command_BatchMarkers" && (counted[kind] < n || counted[kind] > n+max(3, n/4)) {
				return false
			}
		}
		return len(runs["IssueIntake"]) == quiet.Runs && counted["grpc_UpdateSchedule"] == 2
	})
	history := s.History(t, pull)
	at := looks(history)
	looked := lab.ActionsOf(history[at[1]:at[3]]).Sum() // two times; the first one finds the pull request
	whole, poll := lab.ActionsOf(s.History(t, s.Begun.GetID())), runs["IssueIntake"][0].Sum()+2
	for _, row := range []struct {
		what string
		n    int
		most int
	}{
		{"a task of three deliverables in two iterations, 7 sessions", whole.Sum(), 45},
		{"two looks at a pull request", looked, 4},
		{"a month of a quiet pull request, a look an hour", looked * int(month/time.Hour) / 2, 1440},
		{"a poll of an intake that finds nothing, with its schedule", poll, 4},
		{"a month of an intake, a poll each 15 minutes", poll * int(month/(15*time.Minute)), 11520},
		{"a month of a quiet intake of a tracker", quietMonth(intake.GitHub, poll), 2902},
		{"a month of a quiet heartbeat file", quietMonth(intake.Heartbeat, poll), 11570},
		{"a month of a quiet backlog", quietMonth(intake.Backlog, poll), 34947},
	} {
		t.Logf("%-70s %6d actions, %8.5f dollars", row.what, row.n, float64(row.n)*dollars/1e6)
		if row.n == 0 || row.n > row.most {
			t.Errorf("%s: %d actions, at most %d are meant", row.what, row.n, row.most)
		}
	}
	t.Logf("of the task: %s", byKind(whole))
	t.Logf("counted by the server in all: %s", byKind(s.Counted()))
}

// A poll without new work asks no limiter, which would be an action more: the limiter stays, once an intake has had a task.
func TestActionsBesideLimiter(t *testing.T) {
	t.Parallel()
	a := newArriving(t, lab.QuickSettings, "LONGSHIFT_ROLE=control")
	_, err := a.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "limiter:127.0.0.1:acme:calc", TaskQueue: signals.Queue}, signals.Limiter, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.intake("--pause-if-open-pr=false")
	polls := 1
	poll := func() {
		polls++
		a.look()
		lab.Eventually(t, time.Minute, "the poll has ended", func() bool {
			return a.count("WorkflowType = 'IssueIntake' AND ExecutionStatus = 'Completed'") >= polls
		})
	}
	for range 3 {
		poll()
	}
	counted := a.Counted()
	lab.Eventually(t, 30*time.Second, "the server has counted the polls", func() bool {
		counted = a.Counted()
		return counted["command_ScheduleActivityTask"] >= polls && counted["grpc_PatchSchedule"] == 3
	})
	if n := counted["grpc_QueryWorkflow"]; n != 0 {
		t.Errorf("%d polls that found nothing have asked the limiter %d times", polls, n)
	}
	a.issues(1)
	poll()
	lab.Eventually(t, 30*time.Second, "the poll that has found something has asked the limiter", func() bool { return a.Counted()["grpc_QueryWorkflow"] > 0 })
}

// TestActionsOfStarts: a start that finds its workflow running is no action, so that listeners may see to it often that one runs.
func TestActionsOfStarts(t *testing.T) {
	t.Parallel()
	s := lab.StartServer(t, false)
	start := func(id string) {
		t.Helper()
		o := client.StartWorkflowOptions{ID: id, TaskQueue: signals.Queue, WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING}
		if _, err := s.Client.ExecuteWorkflow(t.Context(), o, signals.Watch, signals.WatchInput{Repository: lab.Name}); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		start("watch:github.com:acme:web:0")
	}
	start("watch:github.com:acme:api:0")
	counted := 0
	lab.Eventually(t, 30*time.Second, "the server has counted the last start", func() bool {
		counted = s.Counted()["grpc_StartWorkflowExecution"]
		return counted > 1
	})
	if counted != 2 {
		t.Errorf("%d actions, want 2: nine of the eleven starts have found their workflow running", counted)
	}
}

const month = 30 * 24 * time.Hour

// quietMonth are the actions of an intake that finds nothing from its first poll on: its polls, and the changes of its schedule.
func quietMonth(k intake.Kind, poll int) (actions int) {
	every := intakes.DefaultEvery(k)
	for at, quiet := time.Duration(0), 0; at < month; at += every {
		quiet++
		actions += poll
		if due := intakes.Interval(k, quiet); due != every {
			every = due
			actions++
		}
	}
	return actions
}

func byKind(a lab.Actions) string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(a)) {
		list = append(list, fmt.Sprintf("%s %d", kind, a[kind]))
	}
	return strings.Join(list, ", ")
}

// executions are all runs of all workflows.
func executions(t *testing.T, s *lab.Stage) []*workflowpb.WorkflowExecutionInfo {
	t.Helper()
	r, err := s.Client.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "", PageSize: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return r.Executions
}

// looks are the places in the history of a pull request at which the forge is asked.
func looks(history []*historypb.HistoryEvent) (at []int) {
	for i, e := range history {
		if e.EventType == enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED && e.GetActivityTaskScheduledEventAttributes().ActivityType.Name == "PollPullRequest" {
			at = append(at, i)
		}
	}
	return at
}
