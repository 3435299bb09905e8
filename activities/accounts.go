package activities

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/accounts"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// CoolAccount tells all tasks that an account is used up. Repeating it changes nothing.
func CoolAccount(ctx context.Context, in signals.Cooling) error {
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
func CoolingAccounts(ctx context.Context) (signals.AccountsState, error) {
	return accounts.State(ctx, activity.GetClient(ctx))
}
