package activities

import (
	"context"
	"time"
)

// Assignment names the host that has a task, and its timeouts.
type Assignment struct {
	Host      string        `json:"host"`
	Heartbeat time.Duration `json:"heartbeat"` // nanoseconds
	Probe     time.Duration `json:"probe"`     // nanoseconds
}

// AssignTask runs on the queue that every host polls: the host that answers is assigned the task.
func (h *Host) AssignTask(context.Context) (Assignment, error) {
	return Assignment{Host: h.ID, Heartbeat: h.Heartbeat, Probe: h.ProbeWait}, nil
}

// Alive is a host's answer to a probe.
type Alive struct {
	OutOfTouch bool `json:"outOfTouch,omitempty"` // it had no connection to the server while it worked on the task
}

// Probe answers when the host is alive.
func (h *Host) Probe(ctx context.Context) (Alive, error) {
	return Alive{OutOfTouch: outOfTouch(ctx)}, nil
}
