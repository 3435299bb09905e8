package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// await looks for something every 20 ms until it is there, or the context ends.
func await(ctx context.Context, there func() bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// described waits until what the server says of the workflow fits.
func (p *play) described(ctx context.Context, fits func(*workflowservice.DescribeWorkflowExecutionResponse) bool) error {
	return await(ctx, func() bool {
		d, err := p.stage.client.DescribeWorkflowExecution(ctx, p.run.GetID(), "")
		return err == nil && fits(d)
	})
}

// until waits until the task's status fits.
func (p *play) until(ctx context.Context, ok func(signals.Status) bool) error {
	var s signals.Status
	err := await(ctx, func() bool {
		v, err := p.stage.client.QueryWorkflow(ctx, p.run.GetID(), "", signals.QueryStatus)
		return err == nil && v.Get(&s) == nil && ok(s)
	})
	if err != nil {
		return fmt.Errorf("the task is %s (%s %s) and nothing that was waited for: %w", s.Phase, s.Reason, s.Detail, err)
	}
	return nil
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
	if err := await(ctx, func() bool { return p.counted(step) >= times }); err != nil {
		return fmt.Errorf("%s has come %d times, %d were waited for: %w", step, p.counted(step), times, err)
	}
	return nil
}

// continued waits until a new run has begun.
func (p *play) continued(ctx context.Context) error {
	err := p.described(ctx, func(d *workflowservice.DescribeWorkflowExecutionResponse) bool {
		return d.WorkflowExecutionInfo.Execution.RunId != p.first
	})
	if err != nil {
		return fmt.Errorf("no new run began: %w", err)
	}
	return nil
}

// beats waits until the server has a heartbeat of the running step.
func (p *play) beats(ctx context.Context) error {
	err := p.described(ctx, func(d *workflowservice.DescribeWorkflowExecutionResponse) bool {
		return len(d.PendingActivities) == 1 && d.PendingActivities[0].HeartbeatDetails != nil
	})
	if err != nil {
		return fmt.Errorf("no heartbeat came: %w", err)
	}
	return nil
}

// changed waits until the workflow has gone a way that a change has altered, by the search attribute that GetVersion sets.
func (p *play) changed(ctx context.Context, id string) error {
	var versions []string
	err := p.described(ctx, func(d *workflowservice.DescribeWorkflowExecutionResponse) bool {
		all := d.WorkflowExecutionInfo.GetSearchAttributes().GetIndexedFields()["TemporalChangeVersion"]
		return converter.GetDefaultDataConverter().FromPayload(all, &versions) == nil && slices.Contains(versions, id+"-1")
	})
	if err != nil {
		return fmt.Errorf("no way was gone that %s has altered, but %q: %w", id, versions, err)
	}
	return nil
}
