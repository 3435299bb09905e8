package inbound

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

// Queries of the server's list of workflows. Tasks are CodingTask workflows, and the PullRequest workflows that follow their pull requests.
const (
	allTasks      = "(WorkflowType = '" + signals.CodingTask + "' OR WorkflowType = '" + signals.PullRequestFlow + "')"
	runningTasks  = allTasks + running
	conversations = "WorkflowType = '" + signals.Conversation + "'"
	running       = " AND ExecutionStatus = 'Running'"
)

// row is a workflow in the server's list.
type row struct {
	id, run, first string
	kind           string
	running        bool
	closed         bool   // ended, and not continued as new
	request        string // that has started it; empty when it was not recorded
	repository     string
	phase          task.Phase
	outcome        task.Outcome
	needsHuman     bool
	cost           float64
	started        time.Time
	threads        []string
}

// each calls use for the workflows that a query finds, newest first, until use returns false or the bound most is reached.
func (s server) each(ctx context.Context, query string, most int, use func(row) bool) error {
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: int32(min(most, 1000))}
	for seen := 0; ; {
		call, cancel := context.WithTimeout(ctx, answerWithin)
		response, err := s.client.ListWorkflow(call, request)
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
		running: w.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, closed: w.GetCloseTime() != nil, started: w.GetStartTime().AsTime()}
	read(w.GetMemo().GetFields(), memoRequest, &r.request)
	fields := w.GetSearchAttributes().GetIndexedFields()
	read(fields, signals.AttrRepository, &r.repository)
	read(fields, signals.AttrPhase, &r.phase)
	read(fields, signals.AttrOutcome, &r.outcome)
	read(fields, signals.AttrNeedsHuman, &r.needsHuman)
	read(fields, signals.AttrCostUSD, &r.cost)
	if !read(fields, signals.AttrThread, &r.threads) { // the server may return a list of one as a single value
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

// read decodes a field. It reports whether the field exists and can be decoded.
func read[T any](fields map[string]*commonpb.Payload, name string, into *T) bool {
	payload, ok := fields[name]
	return ok && converter.GetDefaultDataConverter().FromPayload(payload, into) == nil
}

// quoted makes a string literal of the list's query language.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
