package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// follow starts so many, and waits until each has looked once and waits for its next look.
func (w *waiting) follow(ctx context.Context, name string, n int) error {
	work, ids := make(chan string), []string{}
	for i := range n {
		ids = append(ids, fmt.Sprintf("%s-%d", name, i))
	}
	failed := make([]error, 8)
	var wg sync.WaitGroup
	for k := range failed {
		wg.Go(func() {
			for id := range work {
				if failed[k] == nil {
					failed[k] = w.followOne(ctx, id, project.Defaults())
				}
			}
		})
	}
	for _, id := range ids {
		work <- id
	}
	close(work)
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	for _, id := range ids {
		if err := w.settled(ctx, id, 1); err != nil {
			return err
		}
	}
	return nil
}

// madePlan is a plan of the usual size.
func madePlan(status task.Status) *task.Plan {
	plan := &task.Plan{Revision: 1, Verdict: task.VerdictWork, Summary: "Fix Add and write Mul",
		Approach: "Change an operator, then write Mul."}
	for _, d := range ids {
		plan.Deliverables = append(plan.Deliverables, task.Deliverable{ID: d, Description: "write file " + d,
			Acceptance: []string{"it is there"}, Status: status})
	}
	return plan
}

// opened is what a task that has opened a pull request hands over to the workflow that looks after it.
func opened(id string, number int, head string, settings task.Settings) signals.PullRequestInput {
	return signals.PullRequestInput{
		Input: task.Input{Repository: "acme/calc", Task: "write three files"}, Settings: settings, Task: "task-" + id, Run: id, TaskID: id,
		Fence: 1, PullRequest: signals.PullRequest{Number: number, URL: fmt.Sprintf("https://github.com/acme/calc/pull/%d", number)},
		Branch: "longshift/" + id, Base: "main", Head: head, Plan: madePlan(task.Passed),
		Budget: signals.Budget{Usage: task.Usage{Input: 12000, Output: 2700, CostUSD: 0.24, Calls: 12}, BudgetUSD: 20, BudgetTime: 2 * time.Hour},
	}
}

// followOne starts the workflow that looks after a pull request, as a task does.
func (w *waiting) followOne(ctx context.Context, id string, settings task.Settings) error {
	return startFollowing(ctx, w.temporal, opened(id, 7, strings.Repeat("a", 40), settings))
}

func startFollowing(ctx context.Context, c client.Client, in signals.PullRequestInput) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: in.TaskID, TaskQueue: signals.Queue,
		WorkflowTaskTimeout: signals.WorkflowTaskTimeout}, signals.PullRequestFlow, in)
	return err
}

// settled waits until a workflow has looked so often and has nothing to do.
func (w *waiting) settled(ctx context.Context, id string, looks int) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		w.mu.Lock()
		looked := w.polls[id] >= looks
		w.mu.Unlock()
		if looked {
			d, err := w.temporal.DescribeWorkflowExecution(ctx, id, "")
			if err != nil {
				return err
			}
			if len(d.PendingActivities) == 0 && d.PendingWorkflowTask == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s has not come to rest after %d looks: %w", id, looks, ctx.Err())
		case <-tick.C:
		}
	}
}
