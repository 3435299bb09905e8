package workflows

import (
	"time"

	"github.com/longshift/longshift/signals"
)

// money says how much is kept of the day's money for a task; ok is false when there is not enough left. A task that may cost more than
// a whole day has waits for a day that nobody has begun, and gets all of it.
func (g *gate) money(w signals.Waiter) (kept float64, ok bool) {
	limit := w.Guard.DailyCost
	if limit <= 0 {
		return 0, true
	}
	want := min(w.Budget, limit)
	if want <= nothing { // it has used up what it may spend: a person is asked for more, by the task itself
		return 0, true
	}
	return want, g.Spent+g.kept()+want <= limit+nothing
}

// kept is the money that those inside may still spend.
func (g *gate) kept() (sum float64) {
	for _, h := range g.Holders {
		sum += h.Kept
	}
	return sum
}

// roll begins a new day. What was kept yesterday for those inside counts as long as they are.
func (g *gate) roll(now time.Time) {
	if day := now.UTC().Format(time.DateOnly); day != g.Day {
		g.Day, g.Spent = day, 0
	}
}

// spend writes down what one who has left has spent: all of it on the day on which it left.
func (g *gate) spend(now time.Time, usd float64) {
	g.roll(now)
	g.Spent += max(usd, 0)
}
