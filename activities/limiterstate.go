package activities

import (
	"context"
	"errors"
	"math"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// roomFor returns how many tasks of an intake may be started, and how many wait. Tasks of a tracker may wait, so that people see them. A
// task for a file starts only when it can work at once: until then people may change the file, or put another one before it.
func (c *Control) roomFor(ctx context.Context, r task.Repository, in signals.IntakeInput) (room, waiting int, err error) {
	inside, waiting, err := c.atLimiters(ctx, r, in.Name)
	switch intake.Kind(in.Source) {
	case intake.Heartbeat:
		return 1 - inside - waiting, waiting, err
	case intake.Backlog:
		return max(in.Guard.Sessions, 1) - inside - waiting, waiting, err
	}
	return in.Queue - waiting, waiting, err
}

// atLimiters counts the tasks of an intake that are admitted, and those that wait. One that waits for the limiter of the whole installation
// has given the repository's admission back, so that limiter is asked too.
func (c *Control) atLimiters(ctx context.Context, r task.Repository, name string) (inside, waiting int, err error) {
	admitted, waits := map[string]bool{}, map[string]bool{} // by workflow id: a task may be at both limiters
	for _, id := range []string{c.limiterID(r, false), c.limiterID(r, true)} {
		state, err := intakes.LimiterState(ctx, activity.GetClient(ctx), id)
		if err != nil {
			return 0, 0, err
		}
		for _, w := range state.Waiters {
			h := signals.Holder{Workflow: w.Workflow, Run: w.Run, Before: math.MaxFloat64} // one that waits spends nothing
			if w.Intake == name {
				err = errors.Join(err, countRunning(ctx, id, h, waits))
			}
		}
		for _, h := range state.Holders {
			if h.Intake == name {
				err = errors.Join(err, countRunning(ctx, id, h, admitted))
			}
		}
		if err != nil {
			return 0, 0, err
		}
	}
	for id := range admitted {
		if !waits[id] {
			inside++
		}
	}
	return inside, len(waits), nil
}

// countRunning adds a task that a limiter knows to those that run. A limiter checks its holders only while somebody waits, so a task that
// has ended is removed from it here.
func countRunning(ctx context.Context, limiter string, h signals.Holder, running map[string]bool) error {
	gone, spent, err := hasEnded(ctx, h)
	if err != nil {
		return err
	}
	if gone {
		request := signals.ReleaseRequest{Workflow: h.Workflow, Run: h.Run, Spent: spent}
		return updateLimiter(ctx, limiter, signals.Release, "gone/"+h.Run, request, nil)
	}
	running[h.Workflow] = true
	return nil
}
