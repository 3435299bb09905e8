package activities

import (
	"context"
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
	inside, waiting, err := c.atLimiter(ctx, r, in.Name)
	switch intake.Kind(in.Source) {
	case intake.Heartbeat:
		return 1 - inside - waiting, waiting, err
	case intake.Backlog:
		return max(in.Guard.Sessions, 1) - inside - waiting, waiting, err
	}
	return in.Queue - waiting, waiting, err
}

// atLimiter counts the tasks of an intake that hold an admission of the repository's limiter, and those that wait for one. A limiter checks
// its holders only while somebody waits, so tasks that have ended are removed here.
func (c *Control) atLimiter(ctx context.Context, r task.Repository, name string) (inside, waiting int, err error) {
	id := c.limiterID(r, false)
	state, err := intakes.LimiterState(ctx, activity.GetClient(ctx), id)
	if err != nil {
		return 0, 0, err
	}
	there := func(h signals.Holder) (bool, error) {
		gone, spent, err := hasEnded(ctx, h)
		if err == nil && gone {
			request := signals.ReleaseRequest{Workflow: h.Workflow, Run: h.Run, Spent: spent}
			err = updateLimiter(ctx, id, signals.Release, "gone/"+h.Run, request, nil)
		}
		return !gone, err
	}
	for _, w := range state.Waiters {
		if w.Intake != name {
			continue
		}
		is, err := there(signals.Holder{Workflow: w.Workflow, Run: w.Run, Before: math.MaxFloat64}) // one that waits spends nothing
		if err != nil {
			return 0, 0, err
		}
		if is {
			waiting++
		}
	}
	for _, h := range state.Holders {
		if h.Intake != name {
			continue
		}
		is, err := there(h)
		if err != nil {
			return 0, 0, err
		}
		if is {
			inside++
		}
	}
	return inside, waiting, nil
}
