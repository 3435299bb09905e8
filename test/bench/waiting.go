package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/app"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/project"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/workflows"
)

// waiting is the scene of pull requests that nothing happens at. The worker runs in this process, so that its memory can be read.
type waiting struct {
	bench
	worker worker.Worker

	mu    sync.Mutex
	looks map[string]int // by workflow
}

// runWaiting measures what pull requests cost that are looked after while nothing happens: memory of a worker, and history.
func runWaiting(n int) (err error) {
	w := &waiting{looks: map[string]int{}}
	if w.dir, err = os.MkdirTemp("", "longshift-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(w.dir)
	if w.root, err = os.Getwd(); err != nil {
		return err
	}
	stopServer, err := w.server()
	if err != nil {
		return err
	}
	defer stopServer()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := app.RegisterAttributes(ctx, w.temporal, client.DefaultNamespace); err != nil {
		return err
	}
	defer w.stop()
	return w.run(ctx, n)
}

func (w *waiting) run(ctx context.Context, n int) error {
	if err := w.restart(); err != nil {
		return err
	}
	if err := w.follow(ctx, "warm", 20); err != nil { // connections and pools have their size then
		return err
	}
	var m [3]memory // with an empty cache, with the waiting ones in it, and with an empty one again
	for i := range m {
		step := w.restart
		if i == 1 {
			step = func() error { return w.follow(ctx, "pull", n) }
		}
		err := step()
		if err == nil {
			m[i], err = measure()
		}
		if err != nil {
			return err
		}
	}
	fmt.Printf("%d pull requests that wait, on one worker:\n", n)
	fmt.Printf("  in its cache:     %s each\n", m[1].since(m[0]).each(n))
	fmt.Printf("  out of its cache: %s each\n", m[2].since(m[0]).each(n))
	return w.printLook(ctx)
}

// restart replaces the worker by one that holds no workflow.
func (w *waiting) restart() (err error) {
	w.stop()
	worker.PurgeStickyWorkflowCache()
	w.worker, err = w.control()
	return err
}

func (w *waiting) stop() {
	if w.worker != nil {
		w.worker.Stop()
	}
}

// control starts a worker with the options of the worker program.
func (w *waiting) control() (worker.Worker, error) {
	c := worker.New(w.temporal, signals.Queue, worker.Options{
		WorkerStopTimeout: 30 * time.Second, StickyScheduleToStartTimeout: time.Second,
		MaxHeartbeatThrottleInterval: 7500 * time.Millisecond,
		Interceptors:                 []interceptor.WorkerInterceptor{&activities.Interceptor{Redact: redact.New()}},
	})
	workflows.Register(c)
	c.RegisterActivityWithOptions(w.look, activity.RegisterOptions{Name: "LookAtPullRequest"})
	return c, c.Start()
}

// look finds a pull request that is open, has passed, and stays as it is.
func (w *waiting) look(ctx context.Context, in activities.LookInput) (forge.Look, error) {
	id := activity.GetInfo(ctx).WorkflowExecution.ID
	w.mu.Lock()
	w.looks[id]++
	w.mu.Unlock()
	if in.Stamp != "" {
		return forge.Look{Unchanged: true}, nil
	}
	yes := true
	return forge.Look{Stamp: `W/"0a1b2c3d4e5f60718293a4b5c6d7e8f9"`, State: forge.Open, Head: strings.Repeat("a", 40), Base: "main",
		BaseHead: strings.Repeat("b", 40), Mergeable: &yes, Passed: 4}, nil
}

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

// followOne starts the workflow that looks after a pull request, as a task does.
func (w *waiting) followOne(ctx context.Context, id string, settings task.Settings) error {
	plan := &task.Plan{Revision: 1, Verdict: task.VerdictWork, Summary: "Fix Add and write Mul", Approach: "Change an operator, then write Mul."}
	for _, d := range ids {
		plan.Deliverables = append(plan.Deliverables, task.Deliverable{ID: d, Description: "write file " + d, Acceptance: []string{"it is there"}, Status: task.Passed})
	}
	in := signals.Follow{
		Input: task.Input{Repository: "acme/calc", Task: "write three files"}, Settings: settings, Task: "task-" + id, Run: id, TaskID: id,
		Fence: 1, Number: 7, URL: "https://github.com/acme/calc/pull/7", Branch: "longshift/" + id, Base: "main", Head: strings.Repeat("a", 40),
		Plan: plan, Usage: task.Usage{Input: 12000, Output: 2700, CostUSD: 0.24, Calls: 12}, BudgetUSD: 20, BudgetTime: 2 * time.Hour,
	}
	_, err := w.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: signals.Queue,
		WorkflowTaskTimeout: signals.WorkflowTaskTimeout}, signals.PullRequestFlow, in)
	return err
}

// settled waits until a workflow has looked so often and has nothing to do.
func (w *waiting) settled(ctx context.Context, id string, looks int) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		w.mu.Lock()
		looked := w.looks[id] >= looks
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

// printLook says what one look at which nothing has changed adds to the history, and what that comes to when no webhook tells.
func (w *waiting) printLook(ctx context.Context) error {
	settings := project.Defaults()
	settings.PullRequest.Poll = task.Duration(time.Second)
	const id = "quiet"
	if err := w.followOne(ctx, id, settings); err != nil {
		return err
	}
	var events, bytes [2]int
	for i := range events {
		if err := w.settled(ctx, id, i+2); err != nil { // the first look finds something
			return err
		}
		var err error
		if events[i], bytes[i], err = w.history(id); err != nil {
			return err
		}
	}
	e, b := events[1]-events[0], bytes[1]-bytes[0]
	const month = 30 * 24 // the hours: a quiet pull request is looked at once in each
	fmt.Printf("history of one: %d events, %.1f KB to begin with; %d events, %.2f KB for each look (a month of one an hour: %d events, %.2f MB)\n",
		events[0]-e, float64(bytes[0]-b)/1000, e, float64(b)/1000, e*month, float64(b*month)/1e6)
	return nil
}

// memory is what a process holds, in bytes, and its goroutines.
type memory struct{ heap, stacks, resident, goroutines int }

// measure reads the memory when everything that is not in use has been given back.
func measure() (memory, error) {
	for range 3 { // what a finalizer holds goes with the next one
		runtime.GC()
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return memory{}, fmt.Errorf("read the size of this process, which works on Linux only: %w", err)
	}
	var total, pages int
	if _, err := fmt.Sscan(string(data), &total, &pages); err != nil {
		return memory{}, fmt.Errorf("read the size of this process: %q: %w", data, err)
	}
	return memory{int(m.HeapInuse), int(m.StackInuse), pages * os.Getpagesize(), runtime.NumGoroutine()}, nil
}

func (m memory) since(old memory) memory {
	return memory{m.heap - old.heap, m.stacks - old.stacks, m.resident - old.resident, m.goroutines - old.goroutines}
}

func (m memory) each(n int) string {
	kb := func(v int) string { return strconv.FormatFloat(float64(v)/float64(n)/1000, 'f', 1, 64) + " KB" }
	return fmt.Sprintf("%s of heap, %s of stacks (%.1f goroutines), %s of resident memory", kb(m.heap), kb(m.stacks),
		float64(m.goroutines)/float64(n), kb(m.resident))
}
