package dev

import (
	"fmt"
	"os"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/cli/environ"
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

// polledAnew tells whether one of the given pollers has polled since before.
func polledAnew(before, now map[string]time.Time, whose []string) bool {
	for who, at := range now {
		if slices.Contains(whose, who) && !at.Equal(before[who]) {
			return true
		}
	}
	return false
}

// ownPollers are what the server calls the worker that has been started: by its host, and as the SDK names a process. Workers of other
// hosts poll the same queues.
func (s *stack) ownPollers() []string {
	host := environ.OwnHost(environ.Environ{Vars: s.workerEnv}.Get("LONGSHIFT_DATA"))
	machine, _ := os.Hostname() // the SDK takes it too
	return []string{signals.HostIdentity(host, s.worker.Pid()), fmt.Sprintf("%d@%s@", s.worker.Pid(), machine)}
}
