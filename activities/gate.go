package activities

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// Limits are the operator's, for every task whatever started it.
type Limits struct {
	Sessions  int           // tasks of one repository at work at a time; 0 for no limit
	DailyCost float64       // US dollars a day for one repository; 0 for no limit
	AllCost   float64       // US dollars a day for everything; 0 for no limit
	Lease     time.Duration // after which those at work are looked at
}

// EnterInput asks a gate to let a task in.
type EnterInput struct {
	Repository task.Repository      `json:"repository"`
	All        bool                 `json:"all,omitempty"` // the gate of the whole installation, not the repository's
	Request    signals.EnterRequest `json:"request"`
	N          int                  `json:"n"` // of the task's requests: each is one update
}

// EnterGate asks the gate once, with the operator's limits on top of the task's own. One that does not run is started.
func (c *Control) EnterGate(ctx context.Context, in EnterInput) (signals.EnterAnswer, error) {
	id, r := c.gateID(in.Repository, in.All), in.Request
	r.Lease = c.Limits.Lease
	if in.All {
		r.Guard = task.Guard{DailyCost: c.Limits.AllCost}
	} else {
		r.Guard = r.Guard.And(task.Guard{Sessions: c.Limits.Sessions, DailyCost: c.Limits.DailyCost})
		r.Repository, r.Prefix = in.Repository.Text, c.pullPrefix(in.Repository)
	}
	var a signals.EnterAnswer
	err := toGate(ctx, id, signals.Enter, updateID(r.Run, in.N), r, &a)
	return a, err
}

// LeaveInput gives a task's place back.
type LeaveInput struct {
	Gate    string               `json:"gate"` // workflow id
	Request signals.LeaveRequest `json:"request"`
	N       int                  `json:"n"`
}

// LeaveGate gives a place back. Given back once more, it has been given back.
func (c *Control) LeaveGate(ctx context.Context, in LeaveInput) error {
	return toGate(ctx, in.Gate, signals.Leave, updateID(in.Request.Run, in.N), in.Request, nil)
}

// updateID names a request, the same at every try.
func updateID(run string, n int) string { return run + "/" + strconv.Itoa(n) }

// toGate sends an update to a gate, which is started when it does not run.
func toGate(ctx context.Context, id, name, update string, request, into any) error {
	c := activity.GetClient(ctx)
	start := c.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: id, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING, StaticSummary: "who may work now",
	}, signals.Gate)
	h, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions:          client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: name, UpdateID: update, Args: []any{request}, WaitForStage: client.WorkflowUpdateStageCompleted},
	})
	if err == nil {
		err = h.Get(ctx, into)
	}
	if err != nil {
		return fault.New(fault.Infra, "ask %s: %w", id, err)
	}
	return nil
}

// gateID names the gate of a repository, or that of the whole installation.
func (c *Control) gateID(r task.Repository, all bool) string {
	if all {
		return signals.GateOfAll
	}
	return signals.GateID(c.Host, r)
}

// pullPrefix is how the ids of what looks after the repository's pull requests begin, "" where nothing does.
func (c *Control) pullPrefix(r task.Repository) string {
	if r.Owner == "" {
		return ""
	}
	host, _, _ := strings.Cut(r.Host, ":")
	if host == "" {
		host = c.Host
	}
	return strings.TrimSuffix(signals.PullRequestID(host, r.Owner, r.Name, 0), "0")
}

// Survey asks how the world outside a gate stands.
type Survey struct {
	Repository string             `json:"repository,omitempty"` // as tasks name it; empty for the gate of the whole installation
	Prefix     string             `json:"prefix,omitempty"`
	Holders    []signals.Holder   `json:"holders,omitempty"`
	Pulls      []signals.OpenPull `json:"pulls,omitempty"`
	Known      []string           `json:"known,omitempty"` // workflow ids of those who wait, and of those who have just left: lists of workflows lag behind
}

// Surveyed is the answer.
type Surveyed struct {
	Gone   []signals.LeaveRequest `json:"gone,omitempty"`   // holders that do not run any more
	Ended  []signals.OpenPull     `json:"ended,omitempty"`  // of the pull requests asked about
	Open   []signals.OpenPull     `json:"open,omitempty"`   // others that are looked after
	Others int                    `json:"others,omitempty"` // tasks of the repository at work that have not passed the gate
}

// SurveyGate looks at those whom a gate has let in, and at what else there is of the repository.
func (c *Control) SurveyGate(ctx context.Context, in Survey) (Surveyed, error) {
	var out Surveyed
	for _, h := range in.Holders {
		runs, spent, err := stillRuns(ctx, h.Workflow, h.Run)
		if err != nil {
			return out, err
		}
		if !runs {
			out.Gone = append(out.Gone, signals.LeaveRequest{Workflow: h.Workflow, Run: h.Run, Spent: spent})
		}
	}
	for _, p := range in.Pulls {
		open, err := c.stillOpen(ctx, p)
		if err != nil {
			return out, err
		}
		if !open {
			out.Ended = append(out.Ended, p)
		}
	}
	if in.Repository == "" {
		return out, nil
	}
	var err error
	if in.Prefix != "" {
		if out.Open, err = openPulls(ctx, in.Prefix); err != nil {
			return out, err
		}
	}
	out.Others, err = others(ctx, in)
	return out, err
}

// stillRuns tells whether the execution that began with a run still runs, and what it has cost.
func stillRuns(ctx context.Context, id, first string) (bool, float64, error) {
	d, err := activity.GetClient(ctx).DescribeWorkflowExecution(ctx, id, "")
	var gone *serviceerror.NotFound
	switch {
	case errors.As(err, &gone):
		return false, 0, nil
	case err != nil:
		return false, 0, fault.New(fault.Infra, "ask whether %s runs: %w", id, err)
	}
	info := d.GetWorkflowExecutionInfo()
	if first != "" && info.GetFirstRunId() != first {
		return false, 0, nil
	}
	var cost float64
	if p, ok := info.GetSearchAttributes().GetIndexedFields()[signals.AttrCostUSD]; ok {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &cost) // what can't be read cost nothing that we know of
	}
	return info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, cost, nil
}

// stillOpen asks what looks after a pull request, or the forge when nothing does.
func (c *Control) stillOpen(ctx context.Context, p signals.OpenPull) (bool, error) {
	if p.Workflow != "" {
		open, _, err := stillRuns(ctx, p.Workflow, "")
		return open, err
	}
	f, err := c.Forge(ctx, p.Repository)
	if err != nil {
		return false, err
	}
	asked, ok := f.(forge.Stater)
	if !ok {
		return false, nil
	}
	state, err := asked.State(ctx, p.Repository, p.Number)
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	return state == forge.Open, err
}

// quoted makes the inside of a string of the visibility query language.
var quoted = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// mostPulls bounds what is read of open pull requests: one is enough to wait for.
const mostPulls = 20

// openPulls finds what looks after pull requests of a repository.
func openPulls(ctx context.Context, prefix string) ([]signals.OpenPull, error) {
	var open []signals.OpenPull
	answer, err := activity.GetClient(ctx).ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{PageSize: mostPulls,
		Query: "WorkflowType = '" + signals.PullRequestFlow + "' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '" + quoted.Replace(prefix) + "'"})
	if err != nil {
		return nil, fault.New(fault.Infra, "list open pull requests: %w", err)
	}
	for _, e := range answer.GetExecutions() {
		p := signals.OpenPull{Workflow: e.GetExecution().GetWorkflowId()}
		if a, ok := e.GetSearchAttributes().GetIndexedFields()[signals.AttrPullRequest]; ok {
			_ = converter.GetDefaultDataConverter().FromPayload(a, &p.URL) // for people
		}
		open = append(open, p)
	}
	return open, nil
}

// others counts tasks of the repository that work without having passed the gate: those that people have started.
func others(ctx context.Context, in Survey) (int, error) {
	known := map[string]bool{}
	for _, id := range in.Known {
		known[id] = true
	}
	for _, h := range in.Holders {
		known[h.Workflow] = true
	}
	n := 0
	request := &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1000, Query: "WorkflowType = '" + signals.CodingTask + "' AND ExecutionStatus = 'Running' AND " +
		signals.AttrRepository + " = '" + quoted.Replace(in.Repository) + "'"}
	for {
		answer, err := activity.GetClient(ctx).ListWorkflow(ctx, request)
		if err != nil {
			return 0, fault.New(fault.Infra, "list tasks of the repository: %w", err)
		}
		for _, e := range answer.GetExecutions() {
			if !known[e.GetExecution().GetWorkflowId()] && atWork(e) {
				n++
			}
		}
		if request.NextPageToken = answer.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return n, nil
		}
	}
}

// atWork tells whether a task that runs does something, or would go on without anybody's doing.
func atWork(e *workflowpb.WorkflowExecutionInfo) bool {
	fields := e.GetSearchAttributes().GetIndexedFields()
	var phase task.Phase
	if p, ok := fields[signals.AttrPhase]; ok {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &phase) // one that is not known is at work
	}
	_, until := fields[signals.AttrWaitingUntil]
	switch phase {
	case task.Queued, task.Suspended, task.Ended:
		return false
	case task.Approving:
		return until
	}
	return true
}
