package project

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/task"
)

// Of two sets of limits the stricter value of each counts, and none loosens another.
func TestWithin(t *testing.T) {
	t.Parallel()
	loose := task.Bounds{MaxCost: 9, MaxTime: 9 * time.Hour, MaxIterations: 9}
	strict := task.Bounds{MaxCost: 3, MaxTime: time.Hour, MaxIterations: 2, Approval: task.ApprovalRequired}
	for name, c := range map[string]struct{ own, given, want task.Bounds }{
		"none given":  {strict, task.Bounds{}, strict},
		"none own":    {task.Bounds{}, strict, strict},
		"stricter":    {loose, strict, strict},
		"less strict": {strict, loose, strict},
		"mixed":       {task.Bounds{MaxCost: 9, MaxIterations: 2}, task.Bounds{MaxCost: 3, MaxIterations: 9}, task.Bounds{MaxCost: 3, MaxIterations: 2}},
	} {
		l := Limits{Agents: []string{"codex"}}.Within(c.own).Within(c.given)
		want := Limits{Agents: []string{"codex"}, MaxCost: c.want.MaxCost, MaxTime: c.want.MaxTime, MaxIterations: c.want.MaxIterations, Approval: c.want.Approval}
		if diff := cmp.Diff(want, l); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
