package inbound

import (
	"context"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/internal/visibility"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Queries of the server's list of workflows. Tasks are CodingTask workflows, and the PullRequest workflows that follow their pull requests.
const (
	allTasks      = "(WorkflowType = '" + signals.CodingTask + "' OR WorkflowType = '" + signals.PullRequestFlow + "')"
	codingTasks   = "WorkflowType = '" + signals.CodingTask + "'"
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
	pull           string // address of its pull request
	requester      string // who has asked for it in a chat, as personKey names people; empty when it was not recorded
	parent         string // run id of the workflow that has started it; empty for none
}

// each calls use for the workflows that a query finds, newest first, until use returns false or the bound most is reached.
func (s server) each(ctx context.Context, query string, most int, use func(row) bool) error {
	seen := 0
	err := visibility.Each(ctx, s.client, query, most, answerWithin, func(w *workflowpb.WorkflowExecutionInfo) bool {
		seen++
		return use(readRow(w)) && seen < most
	})
	if err != nil {
		return noAnswer(err)
	}
	return nil
}

func readRow(w *workflowpb.WorkflowExecutionInfo) row {
	r := row{id: w.GetExecution().GetWorkflowId(), run: w.GetExecution().GetRunId(), first: w.GetFirstRunId(), kind: w.GetType().GetName(),
		running: w.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, closed: w.GetCloseTime() != nil, started: w.GetStartTime().AsTime(),
		parent: w.GetParentExecution().GetRunId()}
	visibility.Read(w.GetMemo().GetFields(), memoRequest, &r.request)
	visibility.Read(w.GetMemo().GetFields(), memoRequester, &r.requester)
	fields := w.GetSearchAttributes().GetIndexedFields()
	visibility.Read(fields, signals.AttrRepository, &r.repository)
	visibility.Read(fields, signals.AttrPhase, &r.phase)
	visibility.Read(fields, signals.AttrOutcome, &r.outcome)
	visibility.Read(fields, signals.AttrPullRequest, &r.pull)
	visibility.Read(fields, signals.AttrNeedsHuman, &r.needsHuman)
	visibility.Read(fields, signals.AttrCostUSD, &r.cost)
	if !visibility.Read(fields, signals.AttrThread, &r.threads) { // the server may return a list of one as a single value
		var only string
		if visibility.Read(fields, signals.AttrThread, &only) {
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

// line renders what the server's list says of a task, the same for everybody.
func (r row) line(md render.Markdown) string {
	state := render.Phase(r.phase)
	if !r.running {
		state += ": " + strings.ReplaceAll(string(r.outcome), "_", " ")
	}
	line := md.Mono(r.id) + " " + md.Literal(state, 60)
	if r.repository != "" {
		line += ", " + md.Repository(r.repository)
	}
	return line + ", " + render.USD(r.cost)
}

// quoted makes a string literal of the list's query language.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
