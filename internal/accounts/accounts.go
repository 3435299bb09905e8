// Package accounts tells which accounts of models are used up, as the workflow Accounts keeps it. It may not change that.
package accounts

import (
	"context"
	"errors"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Querier is the part of Temporal's client that answers queries.
type Querier interface {
	QueryWorkflow(ctx context.Context, workflowID, runID, queryType string, args ...any) (converter.EncodedValue, error)
}

// State asks which accounts are used up. Times that have passed may be among them: a workflow that has ended answers, too.
func State(ctx context.Context, c Querier) (state signals.AccountsState, err error) {
	answer, err := c.QueryWorkflow(ctx, signals.AccountsID, "", signals.QueryAccounts)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return state, nil
	}
	if err == nil {
		err = answer.Get(&state)
	}
	if err != nil {
		return state, fault.New(fault.Infra, "ask which accounts are used up: %w", err).WithHint("a worker has to run; see `longshift doctor`")
	}
	return state, nil
}
