package activities

import (
	"testing"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// No limiter is asked to keep more of the day's money for a task than the operator lets any task spend.
func TestLimitedRequest(t *testing.T) {
	for _, c := range []struct{ asked, most, want float64 }{{20, 0, 20}, {20, 5, 5}, {3, 5, 3}} {
		limiters := Limiters{limits: Limits{DailyCost: 30, AllCost: 40, Each: task.Bounds{MaxCost: c.most}}}
		for all, cost := range map[bool]float64{false: 30, true: 40} {
			r := limiters.limited(AcquireInput{All: all, Request: signals.AcquireRequest{Budget: c.asked}})
			if r.Budget != c.want || r.Guard.DailyCost != cost {
				t.Errorf("asked for $%v of at most $%v, of all %v: %+v", c.asked, c.most, all, r)
			}
		}
	}
}
