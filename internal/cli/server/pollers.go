package server

import (
	"context"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
)

type queueDescriber interface {
	DescribeTaskQueue(ctx context.Context, queue string, kind enumspb.TaskQueueType) (*workflowservice.DescribeTaskQueueResponse, error)
}

// Pollers returns the identities of the workers that have asked a task queue for work in the last minutes, each with its last time.
func Pollers(ctx context.Context, c queueDescriber, queue string, kind enumspb.TaskQueueType) (map[string]time.Time, error) {
	call, cancel := Answer(ctx)
	defer cancel()
	d, err := c.DescribeTaskQueue(call, queue, kind)
	if err != nil {
		return nil, err
	}
	all := map[string]time.Time{}
	for _, poller := range d.GetPollers() {
		if last := poller.GetLastAccessTime().AsTime(); last.After(all[poller.GetIdentity()]) {
			all[poller.GetIdentity()] = last
		}
	}
	return all, nil
}
