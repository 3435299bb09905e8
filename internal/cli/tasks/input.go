package tasks

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// HistoryClient is what reading a task's history needs of the client.
type HistoryClient interface {
	GetWorkflowHistory(ctx context.Context, id, run string, wait bool, filter enumspb.HistoryEventFilterType) client.HistoryEventIterator
}

// InputOf returns the JSON that a task was started with.
func InputOf(ctx context.Context, c HistoryClient, f Found) ([]byte, error) {
	call, cancel := server.Answer(ctx)
	defer cancel()
	event, err := c.GetWorkflowHistory(call, f.ID, f.first, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	if err != nil {
		return nil, fault.New(fault.NotFound, "read the input of task %s: %w", f.ID, err).
			WithHint("the server keeps histories for a time only; start the task again with `longshift run`")
	}
	began := event.GetWorkflowExecutionStartedEventAttributes()
	if began.GetWorkflowType().GetName() != signals.CodingTask {
		return nil, fault.New(fault.Input, "%q is the pull request of a task", f.ID).WithHint("give the id of the task; see `longshift list`")
	}
	payloads := began.GetInput().GetPayloads()
	if len(payloads) != 1 {
		return nil, errors.New("the task was started with no input or with several")
	}
	return payloads[0].GetData(), nil
}
