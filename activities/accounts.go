package activities

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// CoolAccount tells all tasks that an account is used up. Repeating it changes nothing.
func (c *Control) CoolAccount(ctx context.Context, in signals.Cooling) error {
	server := activity.GetClient(ctx)
	info := activity.GetInfo(ctx)
	in.Task = info.WorkflowExecution.ID
	h, err := server.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: server.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
			ID: signals.AccountsID, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
			WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING, StaticSummary: "which accounts are used up",
		}, signals.Accounts),
		UpdateOptions: client.UpdateWorkflowOptions{WorkflowID: signals.AccountsID, UpdateName: signals.Cool,
			UpdateID: info.WorkflowExecution.RunID + "/" + info.ActivityID, Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted},
	})
	if err == nil {
		err = h.Get(ctx, nil)
	}
	if err != nil {
		return fault.New(fault.Infra, "tell all tasks that the account %s is used up: %w", in.Account, err)
	}
	return nil
}

// CoolingAccounts returns which accounts are used up.
func (c *Control) CoolingAccounts(ctx context.Context) (signals.AccountsState, error) {
	return AccountsState(ctx, activity.GetClient(ctx))
}

// Querier is the part of Temporal's client that answers queries.
type Querier interface {
	QueryWorkflow(ctx context.Context, workflowID, runID, queryType string, args ...any) (converter.EncodedValue, error)
}

// AccountsState asks which accounts are used up. Times that have passed may be among them: a workflow that has ended answers, too.
func AccountsState(ctx context.Context, c Querier) (state signals.AccountsState, err error) {
	answer, err := c.QueryWorkflow(ctx, signals.AccountsID, "", signals.QueryAccounts)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return state, nil
	}
	if err == nil {
		err = answer.Get(&state)
	}
	if err != nil {
		return state, fault.New(fault.Infra, "ask which accounts are used up: %w", err)
	}
	return state, nil
}
