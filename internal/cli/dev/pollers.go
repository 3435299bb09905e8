package dev

import (
	"context"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/signals"
)

// queue is a task queue and what is polled there.
type queue struct {
	name string
	kind enumspb.TaskQueueType
	what string
}

// queuesOf are the queues that every worker of a role polls.
func queuesOf(role config.Role) []queue {
	var queues []queue
	if role.Control() {
		queues = append(queues, queue{signals.Queue, enumspb.TASK_QUEUE_TYPE_WORKFLOW, "workflows"})
	}
	if role.Host() {
		queues = append(queues, queue{signals.QueueHosts, enumspb.TASK_QUEUE_TYPE_ACTIVITY, "agents"})
	}
	return queues
}

// queueDescriber is what asking for pollers needs of the client.
type queueDescriber interface {
	DescribeTaskQueue(ctx context.Context, taskqueue string, kind enumspb.TaskQueueType) (*workflowservice.DescribeTaskQueueResponse, error)
}

// polls returns the identities that have polled a queue in the last minutes, with their last times.
func polls(ctx context.Context, c queueDescriber, q queue) (map[string]time.Time, error) {
	call, cancel := server.Answer(ctx)
	defer cancel()
	d, err := c.DescribeTaskQueue(call, q.name, q.kind)
	if err != nil {
		return nil, err
	}
	all := map[string]time.Time{}
	for _, poller := range d.GetPollers() {
		all[poller.GetIdentity()] = poller.GetLastAccessTime().AsTime()
	}
	return all, nil
}

func polledAnew(before, now map[string]time.Time) bool {
	for who, at := range now {
		if !at.Equal(before[who]) {
			return true
		}
	}
	return false
}
