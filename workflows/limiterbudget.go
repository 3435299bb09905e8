package workflows

import (
	"time"

	"github.com/longshift/longshift/signals"
)

// reservation returns how much of the day's budget is reserved for a task; ok is false when there is not enough left. A task that may cost
// more than a whole day's budget waits for a day on which nothing is spent, and gets all of it.
func (g *limiter) reservation(w signals.Waiter) (kept float64, ok bool) {
	limit := w.Guard.DailyCost
	if limit <= 0 {
		return 0, true
	}
	want := min(w.Budget, limit)
	if want <= nothing { // its own budget is used up, for which the task itself asks a person
		return 0, true
	}
	return want, g.Spent+g.reserved()+want <= limit+nothing
}

// reserved is what the holders may still spend.
func (g *limiter) reserved() (sum float64) {
	for _, h := range g.Holders {
		sum += h.Reserved
	}
	return sum
}

// startDay resets what was spent when the day has changed. Reservations of holders stay.
func (g *limiter) startDay(now time.Time) {
	if day := now.UTC().Format(time.DateOnly); day != g.Day {
		g.Day, g.Spent = day, 0
	}
}

// spend counts what a task has spent, all of it on the day of its release.
func (g *limiter) spend(now time.Time, usd float64) {
	g.startDay(now)
	g.Spent += max(usd, 0)
}
