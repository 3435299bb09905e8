package dev

import (
	"time"

	enumspb "go.temporal.io/api/enums/v1"

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

func polledAnew(before, now map[string]time.Time) bool {
	for who, at := range now {
		if !at.Equal(before[who]) {
			return true
		}
	}
	return false
}
