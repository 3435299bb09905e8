package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/workflows"
)

// runWith runs workers and listeners until ctx ends or one of them fails.
func (w *workers) runWith(ctx context.Context, listen func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	heard := make(chan error, 1)
	go func() { defer stop(); heard <- listen(ctx) }()
	err := w.run(ctx)
	stop() // the listeners too, when the workers have failed
	return errors.Join(err, <-heard)
}

// workers are the SDK workers of one process, one per queue.
type workers struct {
	client  client.Client
	log     *slog.Logger
	options worker.Options
	all     []worker.Worker
	fatal   chan error                      // why the SDK has stopped one of them by itself
	refused func(ctx context.Context) error // returns why the server does not accept this process any more
}

// control adds the worker for workflows and for activities on forges.
func (w *workers) control(steps *activities.Control) {
	o := w.options
	o.StickyScheduleToStartTimeout = time.Second // how long a workflow waits for a killed worker
	c := worker.New(w.client, signals.Queue, o)
	workflows.Register(c)
	steps.Register(c)
	w.all = append(w.all, c)
}

// mostSteps is how many activities of a queue a host accepts at once. They wait there for LONGSHIFT_SLOTS, or until a workspace may be made, and send
// heartbeats: what is not accepted within a minute means that the host may be gone.
const mostSteps = 1000

// host adds the workers for the host's queues. They are never versioned: a host serves tasks of every release.
func (w *workers) host(h *activities.Host) {
	o := w.options
	o.DisableWorkflowWorker = true
	long, short, any := o, o, o
	long.MaxConcurrentActivityExecutionSize = mostSteps
	short.MaxConcurrentActivityExecutionSize = mostSteps // a workspace may take hours, and probes, commits and pushes come on the same queue
	any.MaxConcurrentActivityExecutionSize = 16
	long.Identity = signals.HostIdentity(h.ID, os.Getpid())
	acts := long
	short.Identity, any.Identity, acts.Identity = long.Identity, long.Identity, long.Identity
	l := worker.New(w.client, signals.HostQueue(h.ID), long)
	h.RegisterLong(l)
	s := worker.New(w.client, signals.HostControlQueue(h.ID), short)
	h.RegisterControl(s)
	a := worker.New(w.client, signals.QueueHosts, any)
	h.RegisterHosts(a)
	own := worker.New(w.client, signals.HostActsQueue(h.ID), acts)
	h.RegisterActs(own)
	w.all = append(w.all, l, s, a, own)
}

// run starts every worker and stops all of them together when ctx ends.
func (w *workers) run(ctx context.Context) error {
	for i, one := range w.all {
		if err := one.Start(); err != nil {
			w.stop(w.all[:i])
			return fault.New(fault.Infra, "start polling: %w", err)
		}
	}
	w.log.Info("Worker ready")
	watching, stop := context.WithCancel(ctx)
	defer stop()
	refused := make(chan error, 1)
	go func() { refused <- w.refused(watching) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-refused:
	case why := <-w.fatal:
		err = fault.New(fault.Infra, "the server refuses this worker: %w", why)
	}
	w.log.Info("Worker stopping")
	w.stop(w.all)
	return err
}

func (w *workers) stop(some []worker.Worker) {
	var wg sync.WaitGroup
	for _, one := range some {
		wg.Go(one.Stop)
	}
	wg.Wait()
}
