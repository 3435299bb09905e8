// Package tasks starts, finds and follows tasks on the server, sends messages to them, and says in words what they do.
package tasks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/visibility"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// RunningTasks finds the tasks that run, and what looks after their pull requests, newest first. Only built-in attributes are
// named: it works on any server.
const (
	AllTasks     = "WorkflowType IN ('" + signals.CodingTask + "', '" + signals.PullRequestFlow + "') AND ExecutionStatus != 'ContinuedAsNew'"
	RunningTasks = AllTasks + stillRuns
	EndedTasks   = AllTasks + hasEnded

	stillRuns = " AND ExecutionStatus = 'Running'"
	hasEnded  = " AND ExecutionStatus != 'Running'"
)

// Row is a task as the server's visibility store knows it. No worker is asked.
type Row struct {
	ID           string       `json:"id"`
	RunID        string       `json:"runId"`
	Repository   string       `json:"repository,omitempty"`
	Phase        task.Phase   `json:"phase,omitempty"`
	Outcome      task.Outcome `json:"outcome,omitempty"`
	NeedsHuman   bool         `json:"needsHuman,omitempty"`
	WaitsFor     signals.Wait `json:"waitsFor,omitempty"` // of a queued task
	WaitingUntil time.Time    `json:"waitingUntil,omitzero"`
	Agent        string       `json:"agent,omitempty"`
	Host         string       `json:"host,omitempty"`
	PullRequest  string       `json:"pullRequest,omitempty"`
	CostUSD      float64      `json:"costUsd"`
	Started      time.Time    `json:"started"`
	Ended        time.Time    `json:"ended,omitzero"`
}

// Tasks finds tasks on the server, starts them and sends messages to them.
type Tasks struct {
	server  *server.Connector
	printer *term.Printer
	holds   func(text string) bool // whether a text holds a real token of a known service
}

func New(s *server.Connector, p *term.Printer, holdsToken func(text string) bool) *Tasks {
	return &Tasks{s, p, holdsToken}
}

// Each calls use for every task that the query finds, until it returns false: first those that run, the newest first, then the others,
// the last to end first. page is how many are fetched at a time, at most 1000.
func (t *Tasks) Each(ctx context.Context, c visibility.Lister, query string, page int, use func(Row) bool) error {
	err := visibility.Each(ctx, c, query, page, server.AnswerWithin, func(w *workflowpb.WorkflowExecutionInfo) bool { return use(readRow(w)) })
	if err != nil {
		return t.server.Explain(err, "")
	}
	return nil
}

// Newest gives the tasks that the query finds, the last to start first, at most limit. It asks for what runs and for what has ended apart,
// because the server gives all that runs before anything that has ended. It asks for what runs first, so that a task that ends meanwhile is
// found twice, and not missed.
func (t *Tasks) Newest(ctx context.Context, c visibility.Lister, query string, limit int) ([]Row, error) {
	rows := []Row{}
	add := func(r Row) {
		at, again := slices.BinarySearchFunc(rows, r, newerFirst)
		if again {
			rows[at] = r
			return
		}
		rows = slices.Insert(rows, at, r)
		rows = rows[:min(len(rows), limit)]
	}
	err := t.Each(ctx, c, query+stillRuns, limit, func(r Row) bool {
		add(r)
		return len(rows) < limit
	})
	if err != nil {
		return nil, err
	}
	err = t.Each(ctx, c, query+hasEnded, limit, func(r Row) bool {
		if len(rows) == limit && r.Ended.Before(rows[limit-1].Started) {
			return false // it and all that ended before it have started even earlier
		}
		add(r)
		return true
	})
	return rows, err
}

func newerFirst(a, b Row) int {
	return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.RunID, b.RunID))
}

// CheckAttributes tells, when nothing was found, whether that is for want of our search attributes.
func (t *Tasks) CheckAttributes(ctx context.Context, c client.Client) error {
	missing, err := t.server.Missing(ctx, c)
	if err != nil {
		return nil // a server that hides its attributes still lists tasks
	}
	if len(missing) > 0 {
		return server.MissingAttributes()
	}
	return nil
}

// SayUnattended says that no worker asks for work, and that nothing moves then.
func (t *Tasks) SayUnattended(ctx context.Context, c client.Client) {
	if pollers, err := server.Pollers(ctx, c, signals.Queue, enumspb.TASK_QUEUE_TYPE_WORKFLOW); err == nil && len(pollers) == 0 {
		t.printer.Say("no worker is connected, so nothing moves; %s", startWorker)
	}
}

func readRow(e *workflowpb.WorkflowExecutionInfo) Row {
	r := Row{ID: e.Execution.GetWorkflowId(), RunID: e.Execution.GetRunId(), Started: e.GetStartTime().AsTime()}
	if e.GetCloseTime() != nil {
		r.Ended = e.GetCloseTime().AsTime()
	}
	fields := e.GetSearchAttributes().GetIndexedFields()
	visibility.Read(fields, signals.AttrRepository, &r.Repository)
	visibility.Read(fields, signals.AttrPhase, &r.Phase)
	visibility.Read(fields, signals.AttrOutcome, &r.Outcome)
	visibility.Read(fields, signals.AttrHost, &r.Host)
	visibility.Read(fields, signals.AttrAgent, &r.Agent)
	visibility.Read(fields, signals.AttrPullRequest, &r.PullRequest)
	visibility.Read(fields, signals.AttrNeedsHuman, &r.NeedsHuman)
	visibility.Read(fields, signals.AttrCostUSD, &r.CostUSD)
	visibility.Read(fields, signals.AttrWaitsFor, &r.WaitsFor)
	visibility.Read(fields, signals.AttrWaitingUntil, &r.WaitingUntil)
	if status := e.GetStatus(); status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		r.Phase, r.WaitsFor = task.Ended, ""
		r.NeedsHuman, r.WaitingUntil = false, time.Time{} // also of one that was terminated while it was suspended
		if r.Outcome == "" {
			r.Outcome = outcomeOf(status)
		}
	}
	return r
}

// outcomeOf names the end of a task that could not say it itself: it was terminated, or its input was refused.
func outcomeOf(status enumspb.WorkflowExecutionStatus) task.Outcome {
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return task.Cancelled
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED,
		enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW:
		return ""
	}
	return task.Failed
}

// WithOutcome is a condition that finds the tasks with an outcome, also those that could not say it themselves.
func WithOutcome(o task.Outcome) string {
	query := signals.AttrOutcome + " = '" + string(o) + "'"
	unsaid := ""
	switch o {
	case task.Failed:
		unsaid = "'Failed', 'Terminated', 'TimedOut'"
	case task.Cancelled:
		unsaid = "'Canceled'"
	default:
		return query
	}
	return "(" + query + " OR (" + signals.AttrOutcome + " IS NULL AND ExecutionStatus IN (" + unsaid + ")))"
}

// State is the phase with what a person must know about it.
func (r Row) State(now time.Time) string {
	state := string(r.Phase)
	switch {
	case r.Outcome != "":
		return string(r.Outcome)
	case state == "":
		return "starting"
	case r.Phase == task.Queued && r.WaitsFor != "":
		state += " (" + strings.ReplaceAll(string(r.WaitsFor), "_", " ")
		if r.WaitingUntil.After(now) {
			state += fmt.Sprintf(", %s left", term.Remaining(r.WaitingUntil.Sub(now)))
		}
		state += ")"
	case r.WaitingUntil.After(now):
		state += fmt.Sprintf(" (%s left)", term.Remaining(r.WaitingUntil.Sub(now)))
	}
	if r.NeedsHuman {
		state += " — needs you"
	}
	return state
}
