package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
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

// happens waits until a step has run so often.
func (p *play) happens(ctx context.Context, step string, times int) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for p.counted(step) < times {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s has come %d times, %d were waited for: %w", step, p.counted(step), times, ctx.Err())
		case <-tick.C:
		}
	}
	return nil
}

// continued waits until a new run has begun.
func (p *play) continued(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		d, err := p.stage.client.DescribeWorkflowExecution(ctx, p.run.GetID(), "")
		if err == nil && d.WorkflowExecutionInfo.Execution.RunId != p.first {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no new run began: %w", ctx.Err())
		case <-tick.C:
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

// changed waits until the workflow has gone a way that a change has altered, by the search attribute that GetVersion sets.
func (p *play) changed(ctx context.Context, id string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var versions []string
		d, err := p.stage.client.DescribeWorkflowExecution(ctx, p.run.GetID(), "")
		if err == nil {
			all := d.WorkflowExecutionInfo.GetSearchAttributes().GetIndexedFields()["TemporalChangeVersion"]
			err = converter.GetDefaultDataConverter().FromPayload(all, &versions)
		}
		if err == nil && slices.Contains(versions, id+"-1") {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no way was gone that %s has altered, but %q: %w", id, versions, ctx.Err())
		case <-tick.C:
		}
	}
}
