package activities

import (
	"context"
	"errors"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// ReconcileInput is the state of a limiter that is to be checked.
type ReconcileInput struct {
	Repository string             `json:"repository,omitempty"` // as tasks name it; empty for the limiter of the whole installation
	Prefix     string             `json:"prefix,omitempty"`
	Holders    []signals.Holder   `json:"holders,omitempty"`
	Pulls      []signals.OpenPull `json:"pulls,omitempty"`
	Known      []string           `json:"known,omitempty"` // workflow ids of waiters and tasks that have just released: visibility lags
}

// Reconciled is where that state is out of date.
type Reconciled struct {
	Gone   []signals.ReleaseRequest `json:"gone,omitempty"`   // holders that do not run any more
	Ended  []signals.OpenPull       `json:"ended,omitempty"`  // of the pull requests asked about
	Open   []signals.OpenPull       `json:"open,omitempty"`   // other pull requests that are followed
	Others int                      `json:"others,omitempty"` // tasks of the repository that work and have not asked the limiter
}

// ReconcileLimiter compares what a limiter believes with what runs and what is open.
func (l *Limiters) ReconcileLimiter(ctx context.Context, in ReconcileInput) (Reconciled, error) {
	var out Reconciled
	for _, h := range in.Holders {
		gone, spent, err := hasEnded(ctx, h)
		if err != nil {
			return out, err
		}
		if gone {
			out.Gone = append(out.Gone, signals.ReleaseRequest{Workflow: h.Workflow, Run: h.Run, Spent: spent})
		}
	}
	for _, p := range in.Pulls {
		if open, err := l.stillOpen(ctx, p); err == nil && !open { // a pull request that can't be read counts as open
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
	out.Others, err = l.unadmitted(ctx, in)
	return out, err
}

// hasEnded tells whether a holder has ended, and what it has spent since its admission.
func hasEnded(ctx context.Context, h signals.Holder) (gone bool, spent float64, err error) {
	info, err := described(ctx, h.Workflow, "")
	if err == nil && info != nil && info.GetFirstRunId() != h.Run { // its workflow id belongs to another task now
		info, err = described(ctx, h.Workflow, h.Run)
	}
	if err != nil || isRunning(info) {
		return false, 0, err
	}
	return true, spentBy(info, h), nil
}

// spentBy returns what a holder that has ended has spent since its admission. Where nobody could say what its last session came to, all
// that was reserved counts.
func spentBy(info *workflowpb.WorkflowExecutionInfo, h signals.Holder) float64 {
	if info == nil {
		return h.Reserved
	}
	spent := max(costOf(info)-h.Before, 0)
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return max(spent, h.Reserved)
	}
	return spent
}

// described returns what the server knows of an execution, or nil when it knows none. An empty run means the newest.
func described(ctx context.Context, id, run string) (*workflowpb.WorkflowExecutionInfo, error) {
	return describedBy(ctx, activity.GetClient(ctx), id, run)
}

func describedBy(ctx context.Context, c client.Client, id, run string) (*workflowpb.WorkflowExecutionInfo, error) {
	d, err := c.DescribeWorkflowExecution(ctx, id, run)
	var none *serviceerror.NotFound
	switch {
	case errors.As(err, &none):
		return nil, nil
	case err != nil:
		return nil, fault.New(fault.Infra, "ask whether %s runs: %w", id, err)
	}
	return d.GetWorkflowExecutionInfo(), nil
}

func costOf(info *workflowpb.WorkflowExecutionInfo) (usd float64) {
	if p, ok := info.GetSearchAttributes().GetIndexedFields()[signals.AttrCostUSD]; ok {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &usd) // an unreadable cost counts as zero
	}
	return usd
}

func isRunning(info *workflowpb.WorkflowExecutionInfo) bool {
	return info != nil && info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// stillOpen asks the follower of a pull request, or the forge when there is none.
func (l *Limiters) stillOpen(ctx context.Context, p signals.OpenPull) (bool, error) {
	if p.Workflow != "" {
		info, err := described(ctx, p.Workflow, "")
		return isRunning(info), err
	}
	f, err := l.forge(ctx, p.Repository)
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

// quoted escapes a text for a string in a visibility query.
var quoted = strings.NewReplacer(`\`, `\\`, `'`, `\'`)
