package activities

import (
	"context"
	"math"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// roomFor says how many tasks of an intake may be started, and how many wait for their turn. Tasks of a tracker may wait, so that people
// see them. A file is taken only when it can be worked on at once: until then it may be changed, and another put before it.
func (c *Control) roomFor(ctx context.Context, r task.Repository, in signals.IntakeInput) (room, waiting int, err error) {
	inside, waiting, err := c.atGate(ctx, r, in.Name)
	switch intake.Kind(in.Source) {
	case intake.Heartbeat:
		return 1 - inside - waiting, waiting, err
	case intake.Backlog:
		return max(in.Guard.Sessions, 1) - inside - waiting, waiting, err
	}
	return in.Queue - waiting, waiting, err
}

// atGate counts the tasks of an intake that work, and those that wait for their turn, at the repository's gate. A gate knows only what it
// was told, and nobody may wait there for whom it would look: those that run no more are taken out here.
func (c *Control) atGate(ctx context.Context, r task.Repository, name string) (inside, waiting int, err error) {
	id := c.gateID(r, false)
	switch info, err := described(ctx, id, ""); {
	case err != nil:
		return 0, 0, err
	case !isRunning(info): // it would still answer
		return 0, 0, nil
	}
	v, err := activity.GetClient(ctx).QueryWorkflow(ctx, id, "", signals.QueryGate)
	if err != nil {
		return 0, 0, fault.New(fault.Infra, "ask the gate who waits: %w", err)
	}
	var state signals.GateState
	if err := v.Get(&state); err != nil {
		return 0, 0, fault.New(fault.Internal, "read the gate's answer: %w", err)
	}
	there := func(h signals.Holder) (bool, error) {
		gone, spent, err := hasGone(ctx, h)
		if err == nil && gone {
			request := signals.LeaveRequest{Workflow: h.Workflow, Run: h.Run, Spent: spent}
			err = toGate(ctx, id, signals.Leave, "gone/"+h.Run, request, nil)
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
