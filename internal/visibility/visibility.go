// Package visibility reads the server's list of workflows. It may not ask workers, and it does not know what a query is
// for.
package visibility

import (
	"context"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
)

// Lister is the part of client.Client needed to list workflows.
type Lister interface {
	ListWorkflow(ctx context.Context, request *workflowservice.ListWorkflowExecutionsRequest) (
		*workflowservice.ListWorkflowExecutionsResponse, error)
}

// Each calls use for every workflow that matches a query, until use returns false: first those that run, the newest first, then the
// others, the last to end first. page is the page size, at most 1000; within limits the time for each page. Errors are the server's,
// unwrapped.
func Each(
	ctx context.Context, c Lister, query string, page int, within time.Duration, use func(*workflowpb.WorkflowExecutionInfo) bool,
) error {
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: int32(min(page, 1000))}
	for {
		call, cancel := context.WithTimeout(ctx, within)
		response, err := c.ListWorkflow(call, request)
		cancel()
		if err != nil {
			return err
		}
		for _, w := range response.Executions {
			if !use(w) {
				return nil
			}
		}
		if request.NextPageToken = response.NextPageToken; len(request.NextPageToken) == 0 {
			return nil
		}
	}
}

// Read decodes a field of a memo or a search attribute. It reports whether the field exists and can be decoded.
func Read[T any](fields map[string]*commonpb.Payload, name string, into *T) bool {
	payload, ok := fields[name]
	return ok && converter.GetDefaultDataConverter().FromPayload(payload, into) == nil
}
