// Package accounts tells which accounts of models are used up, as the workflow Accounts keeps it. It may not change that.
package accounts

import (
	"context"
	"errors"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Client is the part of Temporal's client that is used.
type Client interface {
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	QueryWorkflow(ctx context.Context, workflowID, runID, queryType string, args ...any) (converter.EncodedValue, error)
}

// State asks which accounts are used up. Times that have passed may be among them.
func State(ctx context.Context, c Client) (state signals.AccountsState, err error) {
	found, err := c.DescribeWorkflowExecution(ctx, signals.AccountsID, "")
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return state, nil
	}
	if err == nil && found.GetWorkflowExecutionInfo().GetCloseTime() != nil { // it would still answer; somebody may have ended it to have it forget
		return state, nil
	}
	if err == nil {
		err = query(ctx, c, &state)
	}
	if err != nil {
		return state, fault.New(fault.Infra, "ask which accounts are used up: %w", err).WithHint("a worker has to run; see `longshift doctor`")
	}
	return state, nil
}

func query(ctx context.Context, c Client, into *signals.AccountsState) error {
	answer, err := c.QueryWorkflow(ctx, signals.AccountsID, "", signals.QueryAccounts)
	if err != nil {
		return err
	}
	return answer.Get(into)
}
