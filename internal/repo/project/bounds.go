package project

import (
	"slices"
	"time"

	"github.com/longshift/longshift/task"
)

// Within returns the limits with the stricter value of each bound.
func (l Limits) Within(b task.Bounds) Limits {
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
