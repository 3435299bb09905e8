package activities

import (
	"context"
	"time"
)

// Assigner assigns tasks to a host and answers probes.
type Assigner struct {
	host      string
	heartbeat time.Duration
	probeWait time.Duration
}

// Assignment names the host that has a task, and its timeouts.
type Assignment struct {
	Host      string        `json:"host"`
	Heartbeat time.Duration `json:"heartbeat"` // nanoseconds
	Probe     time.Duration `json:"probe"`     // nanoseconds
}

// AssignTask runs on the queue that every host polls: the task is assigned to the host that answers.
func (a *Assigner) AssignTask(context.Context) (Assignment, error) {
	return Assignment{Host: a.host, Heartbeat: a.heartbeat, Probe: a.probeWait}, nil
}

// Alive is a host's answer to a probe.
type Alive struct {
	OutOfTouch bool `json:"outOfTouch,omitempty"` // it had no connection to the server while it worked on the task
}

// Probe answers when the host is alive.
func (a *Assigner) Probe(ctx context.Context) (Alive, error) {
	return Alive{OutOfTouch: outOfTouch(ctx)}, nil
}
