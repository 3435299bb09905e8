package main

import (
	"context"
	"fmt"
	"os"
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
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// waiting is the scene of pull requests that nothing happens at. The worker runs in this process, so that its memory can be read.
type waiting struct {
	bench
	worker worker.Worker

	mu    sync.Mutex
	polls map[string]int // by workflow
}

// runWaiting measures what pull requests cost that are looked after while nothing happens: memory of a worker, and history.
func runWaiting(n int) (err error) {
	w := &waiting{bench: bench{ends: &ends{}}, polls: map[string]int{}}
	if w.dir, err = os.MkdirTemp("", "longshift-bench-"); err != nil {
		return err
	}
	w.ends.add(func() { os.RemoveAll(w.dir) })
	defer w.ends.run()
	defer w.ends.whenTold()()
	if w.root, err = os.Getwd(); err != nil {
		return err
	}
	if err := w.server(); err != nil {
		return err
	}
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
	// Go keeps what describes an ended goroutine for the next one: most of what is left here.
	fmt.Printf("  out of its cache: %s each\n", m[2].since(m[0]).each(n))
	return w.printPoll(ctx)
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
		Interceptors: []interceptor.WorkerInterceptor{&activities.Interceptor{Redact: redact.New()}},
	})
	workflows.Register(c)
	c.RegisterActivityWithOptions(w.poll, activity.RegisterOptions{Name: "PollPullRequest"})
	return c, c.Start()
}

// poll finds a pull request that is open, has passed, and stays as it is.
func (w *waiting) poll(ctx context.Context, in activities.PollInput) (forge.Snapshot, error) {
	id := activity.GetInfo(ctx).WorkflowExecution.ID
	w.mu.Lock()
	w.polls[id]++
	w.mu.Unlock()
	if in.Stamp != "" {
		return forge.Snapshot{Unchanged: true}, nil
	}
	yes := true
	return forge.Snapshot{Stamp: `W/"0a1b2c3d4e5f60718293a4b5c6d7e8f9"`, State: forge.Open, Head: strings.Repeat("a", 40), Base: "main",
		BaseHead: strings.Repeat("b", 40), Mergeable: &yes, Passed: 4}, nil
}

// printPoll says what one look at which nothing has changed adds to the history, and what that comes to when no webhook tells.
func (w *waiting) printPoll(ctx context.Context) error {
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
	fmt.Printf("history of one: %d events, %.1f KB to begin with; "+
		"%d events, %.2f KB for each look (a month of one an hour: %d events, %.2f MB)\n",
		events[0]-e, float64(bytes[0]-b)/1000, e, float64(b)/1000, e*month, float64(b*month)/1e6)
	return nil
}
