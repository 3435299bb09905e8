package listen

import (
	"context"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// What is asked of the server's list of workflows. A task is a CodingTask, and the PullRequest that looks after what it made.
const (
	allTasks      = "(WorkflowType = '" + signals.CodingTask + "' OR WorkflowType = '" + signals.PullRequestFlow + "')"
	runningTasks  = allTasks + running
	conversations = "WorkflowType = '" + signals.Conversation + "'"
	running       = " AND ExecutionStatus = 'Running'"
)

// row is a workflow as the server's list knows it. No worker is asked.
type row struct {
	id, run, first string
	kind           string
	running        bool
	repository     string
	phase          task.Phase
	outcome        task.Outcome
	needsHuman     bool
	cost           float64
	started        time.Time
	threads        []string
}

// each calls use for the workflows that a query finds, newest first, until it returns false or most have been seen.
func (e *Ear) each(ctx context.Context, query string, most int, use func(row) bool) error {
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: int32(min(most, 1000))}
	for seen := 0; ; {
		call, cancel := context.WithTimeout(ctx, answerWithin)
		response, err := e.c.Client.ListWorkflow(call, request)
		cancel()
		if err != nil {
			return noAnswer(err)
		}
		for _, execution := range response.Executions {
			if seen++; !use(readRow(execution)) || seen >= most {
				return nil
			}
		}
		if request.NextPageToken = response.NextPageToken; len(request.NextPageToken) == 0 {
			return nil
		}
	}
}

func readRow(w *workflowpb.WorkflowExecutionInfo) row {
	r := row{id: w.GetExecution().GetWorkflowId(), run: w.GetExecution().GetRunId(), first: w.GetFirstRunId(), kind: w.GetType().GetName(),
		running: w.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, started: w.GetStartTime().AsTime()}
	fields := w.GetSearchAttributes().GetIndexedFields()
	read(fields, signals.AttrRepository, &r.repository)
	read(fields, signals.AttrPhase, &r.phase)
	read(fields, signals.AttrOutcome, &r.outcome)
	read(fields, signals.AttrNeedsHuman, &r.needsHuman)
	read(fields, signals.AttrCostUSD, &r.cost)
	if !read(fields, signals.AttrThread, &r.threads) { // a list of one may come as the one
		var only string
		if read(fields, signals.AttrThread, &only) {
			r.threads = []string{only}
		}
	}
	if !r.running {
		r.phase = task.Ended
		if r.outcome == "" {
			r.outcome = task.Outcome(strings.ToLower(w.GetStatus().String()))
		}
	}
	return r
}

// read decodes a search attribute. What can't be decoded stays empty.
func read[T any](fields map[string]*commonpb.Payload, name string, into *T) bool {
	payload, ok := fields[name]
	return ok && converter.GetDefaultDataConverter().FromPayload(payload, into) == nil
}

// quoted makes a string of the list's query language.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
