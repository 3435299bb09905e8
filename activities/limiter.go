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
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Limiters asks the limiters to admit tasks, and tells them who has ended.
type Limiters struct {
	host   string // of the forge that owner/name is on
	limits Limits
	forge  forgeOf // knows which pull requests are open
}

// Limits are set by the operator. They hold for every task, whatever started it.
type Limits struct {
	Sessions  int           // tasks of one repository at work at a time; 0 for no limit
	DailyCost float64       // US dollars a day for one repository; 0 for no limit
	AllCost   float64       // US dollars a day for everything; 0 for no limit
	Lease     time.Duration // after this time holders are checked
	Each      task.Bounds   // for one task
}

// AcquireInput asks a limiter to admit a task.
type AcquireInput struct {
	Repository task.Repository        `json:"repository"`
	All        bool                   `json:"all,omitempty"` // the limiter of the whole installation, not the repository's
	Request    signals.AcquireRequest `json:"request"`
	N          int                    `json:"n"` // number of the request in the run that makes it: each is one update
}

// AcquireAdmission sends one request to the limiter, with the stricter of the operator's and the task's limits. It starts the limiter when
// it does not run.
func (l *Limiters) AcquireAdmission(ctx context.Context, in AcquireInput) (signals.AcquireAnswer, error) {
	id, r := l.limiterID(in.Repository, in.All), l.limited(in)
	var a signals.AcquireAnswer
	err := updateLimiter(ctx, id, signals.Acquire, updateID(ctx, r.Run, in.N), r, &a)
	return a, err
}

// limited returns the request under the operator's limits.
func (l *Limiters) limited(in AcquireInput) signals.AcquireRequest {
	r := in.Request
	r.Lease = l.limits.Lease
	if most := l.limits.Each.MaxCost; most > 0 { // no task may spend more, so no more of the day's money is kept for it
		r.Budget = min(r.Budget, most)
	}
	if in.All {
		r.Guard = task.Guard{DailyCost: l.limits.AllCost}
	} else {
		r.Guard = r.Guard.And(task.Guard{Sessions: l.limits.Sessions, DailyCost: l.limits.DailyCost})
		r.Repository = in.Repository.Text
		if at := in.Repository; at.Owner != "" { // in a folder nobody follows
			r.Prefix = strings.TrimSuffix(signals.PullRequestID(cmp.Or(at.Host, l.host), at.Owner, at.Name, 0), "0")
		}
	}
	return r
}

// ReleaseInput names an admission to release: at the limiter of a repository, of the whole installation, or a given one.
type ReleaseInput struct {
	Repository task.Repository        `json:"repository,omitzero"`
	All        bool                   `json:"all,omitempty"`
	Limiter    string                 `json:"limiter,omitempty"` // workflow id
	Request    signals.ReleaseRequest `json:"request"`
	N          int                    `json:"n"`
}

// ReleaseAdmission releases an admission. Repeating it changes nothing.
func (l *Limiters) ReleaseAdmission(ctx context.Context, in ReleaseInput) error {
	id := in.Limiter
	if id == "" {
		id = l.limiterID(in.Repository, in.All)
	}
	return updateLimiter(ctx, id, signals.Release, updateID(ctx, in.Request.Run, in.N), in.Request, nil)
}

// updateID identifies a request; it is the same for every attempt. The limiter answers an id that it knows as it did then, and a run that
// continues another one counts its requests anew, so the run that asks is a part of it.
func updateID(ctx context.Context, run string, n int) string {
	return run + "/" + activity.GetInfo(ctx).WorkflowExecution.RunID + "/" + strconv.Itoa(n)
}

// updateLimiter sends an update to a limiter, and starts it when it does not run.
func updateLimiter(ctx context.Context, id, name, update string, request, into any) error {
	c := activity.GetClient(ctx)
	start := c.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: id, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING, StaticSummary: "who may work now",
	}, signals.Limiter)
	h, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: name, UpdateID: update, Args: []any{request},
			WaitForStage: client.WorkflowUpdateStageCompleted},
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

// limiterID returns the workflow id of the limiter of a repository, or of the whole installation.
func (l *Limiters) limiterID(r task.Repository, all bool) string {
	if all {
		return signals.LimiterOfAll
	}
	return signals.LimiterID(l.host, r)
}
