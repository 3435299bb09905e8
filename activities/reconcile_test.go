package activities

import (
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/signals"
)

// TestSpentBy checks what is booked for a task that no longer runs: what it says, or all that was reserved where its last session could
// not be counted.
func TestSpentBy(t *testing.T) {
	h := signals.Holder{Before: 2, Reserved: 20}
	for status, want := range map[enumspb.WorkflowExecutionStatus]float64{
		enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:  3,
		enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:     3,
		enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:   3,
		enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED: 20,
		enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:  20,
	} {
		cost, err := converter.GetDefaultDataConverter().ToPayload(5.0)
		if err != nil {
			t.Fatal(err)
		}
		info := &workflowpb.WorkflowExecutionInfo{Status: status,
			SearchAttributes: &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{signals.AttrCostUSD: cost}}}
		if got := spentBy(info, h); got != want {
			t.Errorf("%s: $%v, want $%v", status, got, want)
		}
	}
	if got := spentBy(nil, h); got != 20 {
		t.Errorf("forgotten by the server: $%v", got)
	}
}
