package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// parkedHost is the host of the parked tasks. Its steps are scripted: the workflows are real and wait for a person, and no disk, git or
// agent had a part in it.
const parkedHost = "bench-scripted"

// parker brings tasks to where they wait for the approval of their plans.
type parker struct {
	temporal client.Client
	settings task.Settings
	workers  []worker.Worker
}

// park starts so many tasks, and waits until the server's list says of each that it waits for its approval.
func park(ctx context.Context, c client.Client, n int) error {
	p := &parker{temporal: c, settings: project.Defaults()}
	p.settings.Approval.Mode = "required"
	worker.SetStickyWorkflowCacheSize(1000) // in place of 10 000: a task that waits is not needed here any more
	defer p.stop()
	if err := p.start(); err != nil {
		return err
	}
	failed, work := make([]error, 16), make(chan int)
	var wg sync.WaitGroup
	for k := range failed {
		wg.Go(func() {
			for i := range work {
				if failed[k] == nil {
					failed[k] = begin(ctx, c, parkedID(i), nil)
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return listed(ctx, c, waitForApproval("parked-"), n)
}

func parkedID(n int) string { return fmt.Sprintf("parked-%05d-acme-calc-write-three-files", n) }

// begin starts a task whose plan a person has to approve.
func begin(ctx context.Context, c client.Client, id string, config map[string]any) error {
	all := map[string]any{"approval": map[string]any{"mode": "required"}}
	for name, value := range config {
		all[name] = value
	}
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout},
		signals.CodingTask, map[string]any{"repository": "acme/calc", "task": "write three files", "config": all})
	return err
}

// waitForApproval is a query for tasks by the beginning of their ids.
func waitForApproval(prefix string) string {
	return fmt.Sprintf("WorkflowId STARTS_WITH '%s' AND ExecutionStatus = 'Running' AND %s = '%s'", prefix, signals.AttrPhase, task.Approving)
}

// listed waits until the server's list has so many.
func listed(ctx context.Context, c client.Client, query string, n int) error {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		r, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
		switch {
		case err != nil:
			return fmt.Errorf("count what is listed by %s: %w", query, err)
		case r.GetCount() >= int64(n):
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d are listed by %s: %w", r.GetCount(), n, query, ctx.Err())
		case <-time.After(pause):
		}
	}
}

func (p *parker) start() error {
	for queue, steps := range map[string]map[string]any{
		signals.Queue: {"CheckForge": func(context.Context, task.Repository) (activities.Checked, error) {
			return activities.Checked{}, nil
		}},
		signals.QueueHosts: {"AssignTask": func(context.Context) (activities.Assignment, error) {
			return activities.Assignment{Host: parkedHost, Heartbeat: 30 * time.Second, Probe: time.Minute}, nil
		}},
		signals.HostControlQueue(parkedHost): {"PrepareWorkspace": p.prepare},
		signals.HostQueue(parkedHost):        {"RunAgent": p.plan},
	} {
		w := worker.New(p.temporal, queue, worker.Options{DisableWorkflowWorker: queue != signals.Queue})
		if queue == signals.Queue {
			workflows.Register(w)
		}
		for name, f := range steps {
			w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
		}
		if err := w.Start(); err != nil {
			return err
		}
		p.workers = append(p.workers, w)
	}
	return nil
}

func (p *parker) stop() {
	var wg sync.WaitGroup
	for _, w := range p.workers {
		wg.Go(w.Stop)
	}
	wg.Wait()
	worker.PurgeStickyWorkflowCache()
}

func (p *parker) prepare(_ context.Context, in activities.PrepareInput) (activities.Prepared, error) {
	return activities.Prepared{Branch: "longshift/" + in.TaskID, Base: "main", BaseCommit: strings.Repeat("b", 40),
		Head: strings.Repeat("b", 40), Settings: p.settings}, nil
}

func (p *parker) plan(context.Context, activities.SessionInput) (activities.SessionResult, error) {
	return activities.SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportPlan}, Plan: madePlan(task.Pending), Turns: 4,
		Duration: 40 * time.Second, Usage: task.Usage{Input: 12000, Output: 2700, CostUSD: 0.24, Calls: 4}}, nil
}
