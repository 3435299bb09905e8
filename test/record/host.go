package main

import (
	"context"
	"fmt"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/longshift/longshift/signals"
)

// The hosts, by what becomes of them.
const (
	steady     = "alpha" // lives as long as the recording
	doomed     = "beta"  // dies under a session and stays dead to the end of the branch
	restarting = "gamma" // stops in good order under a session and comes back
	absent     = "omega" // was never there
	vanishing  = "delta" // dies when it has removed the refs of a task, before it says so
)

// host is what one machine polls. Its connection is its own, so that its death can be played.
type host struct {
	id     string
	mortal bool // it beats by itself and is not waited for

	conn    client.Client
	workers []worker.Worker
}

// start polls the host's queues and the one that all hosts poll.
func (h *host) start(ctx context.Context, s *stage) (err error) {
	if h.conn, err = s.dial(ctx); err != nil {
		return err
	}
	o := options()
	o.DisableWorkflowWorker = true
	if h.mortal { // the last beat is then the one that its session sends, and nothing is handed back at its end
		o.Interceptors, o.WorkerStopTimeout = nil, 0
	}
	for queue, steps := range map[string]any{
		signals.HostQueue(h.id): &runSteps{s.plays}, signals.HostControlQueue(h.id): &workspaceSteps{s.plays},
		signals.HostActsQueue(h.id): &actSteps{s.plays}, signals.QueueHosts: &assignSteps{s.plays},
	} {
		if queue == signals.QueueHosts && h.id != steady {
			continue // who takes a task is scripted; the host that stays gives the answer
		}
		w := worker.New(h.conn, queue, o)
		w.RegisterActivity(steps)
		if err := w.Start(); err != nil {
			return err
		}
		h.workers = append(h.workers, w)
	}
	return nil
}

// stop ends the host in good order: what runs hands its work back.
func (h *host) stop() {
	var wg sync.WaitGroup
	for _, w := range h.workers {
		wg.Go(w.Stop)
	}
	wg.Wait()
	if h.conn != nil {
		h.conn.Close()
	}
	h.workers, h.conn = nil, nil
}

// cut ends the host as a power failure does: the server hears nothing of it any more.
func (h *host) cut() {
	h.conn.Close()
	h.stop()
}

// startHosts starts the hosts that do not run: all of them, and later those that died in the branch before.
func (s *stage) startHosts(ctx context.Context) error {
	for _, h := range s.hosts {
		if h.conn != nil {
			continue
		}
		if err := h.start(ctx, s); err != nil {
			return fmt.Errorf("start host %s: %w", h.id, err)
		}
	}
	return nil
}
