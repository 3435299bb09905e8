package project

import (
	"slices"
	"time"
)

// Bounds are the limits of a task that hold on every host. The others are about what one host can do.
type Bounds struct {
	MaxCost       float64       `json:"maxCost,omitempty"`
	MaxTime       time.Duration `json:"maxTime,omitempty"`
	MaxIterations int           `json:"maxIterations,omitempty"`
	Approval      string        `json:"approval,omitempty"`
}

// Within returns the limits with the stricter value of each bound.
func (l Limits) Within(b Bounds) Limits {
	l.MaxCost = stricter(l.MaxCost, b.MaxCost)
	l.MaxTime = stricter(l.MaxTime, b.MaxTime)
	l.MaxIterations = stricter(l.MaxIterations, b.MaxIterations)
	if slices.Index(strictness, b.Approval) > slices.Index(strictness, l.Approval) {
		l.Approval = b.Approval
	}
	return l
}

// stricter returns the smaller limit. 0 is none.
func stricter[N int | float64 | time.Duration](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
