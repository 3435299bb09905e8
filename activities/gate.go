package activities

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
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

// LeaveInput gives a task's place back, at the gate of a repository, of the whole installation, or at one that is named.
type LeaveInput struct {
	Repository task.Repository      `json:"repository,omitzero"`
	All        bool                 `json:"all,omitempty"`
	Gate       string               `json:"gate,omitempty"` // workflow id
	Request    signals.LeaveRequest `json:"request"`
	N          int                  `json:"n"`
}

// LeaveGate gives a place back. Given back once more, it has been given back.
func (c *Control) LeaveGate(ctx context.Context, in LeaveInput) error {
	id := in.Gate
	if id == "" {
		id = c.gateID(in.Repository, in.All)
	}
	return toGate(ctx, id, signals.Leave, updateID(in.Request.Run, in.N), in.Request, nil)
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
	var refused *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Type() == string(fault.Conflict):
		return fault.New(fault.Conflict, "%s: %s", id, refused.Message())
	}
	return fault.New(fault.Infra, "ask %s: %w", id, err)
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
	return strings.TrimSuffix(signals.PullRequestID(cmp.Or(r.Host, c.Host), r.Owner, r.Name, 0), "0")
}
