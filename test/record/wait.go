package main

import (
	"context"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// until waits until the task's status fits.
func (p *play) until(ctx context.Context, ok func(signals.Status) bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var s signals.Status
	for {
		v, err := p.stage.client.QueryWorkflow(ctx, p.run.GetID(), "", signals.QueryStatus)
		if err == nil && v.Get(&s) == nil && ok(s) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the task is %s (%s %s) and nothing that was waited for: %w", s.Phase, s.Reason, s.Detail, ctx.Err())
		case <-tick.C:
		}
	}
}

// runs waits until a session in the role runs.
func (p *play) runs(ctx context.Context, role task.Role) error {
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("no %s session began: %w", role, ctx.Err())
		case r := <-p.began:
			if r == role {
				return nil
			}
		}
	}
}

// beats waits until the server has a heartbeat of the running step.
func (p *play) beats(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		d, err := p.stage.client.DescribeWorkflowExecution(ctx, p.run.GetID(), "")
		if err == nil && len(d.PendingActivities) == 1 && d.PendingActivities[0].HeartbeatDetails != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no heartbeat came: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
