package activities

import (
	"context"
	"time"
)

// Taken says which host has taken a task, and how it wants to be watched.
type Taken struct {
	Host      string        `json:"host"`
	Heartbeat time.Duration `json:"heartbeat"` // nanoseconds
	Probe     time.Duration `json:"probe"`     // nanoseconds
}

// TakeTask answers "who takes this task?". It runs on the queue that every host polls; the one that answers has it.
func (h *Host) TakeTask(context.Context) (Taken, error) {
	return Taken{Host: h.ID, Heartbeat: h.Heartbeat, Probe: h.ProbeWait}, nil
}

// Alive is what a host says of itself.
type Alive struct {
	OutOfTouch bool `json:"outOfTouch,omitempty"` // it did not hear the server while it worked on the task
}

// Probe answers when the host is alive.
func (h *Host) Probe(ctx context.Context) (Alive, error) {
	return Alive{OutOfTouch: outOfTouch(ctx)}, nil
}
