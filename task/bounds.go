package task

import "time"

// Bounds are the operator's limits of a task that hold on every host. 0 and "" are none.
type Bounds struct {
	MaxCost       float64       `json:"maxCost,omitempty"` // US dollars
	MaxTime       time.Duration `json:"maxTime,omitempty"`
	MaxIterations int           `json:"maxIterations,omitempty"`
	Approval      string        `json:"approval,omitempty"` // the least that is asked for
}
