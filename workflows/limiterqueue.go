package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

func (g *limiter) pullOpened(p signals.OpenPull) {
	same := func(o signals.OpenPull) bool {
		return o.Workflow == p.Workflow && (o.Workflow != "" || o.Number == p.Number)
	}
	if !slices.ContainsFunc(g.Pulls, same) && !slices.Contains(g.Closed, p.Workflow) {
		g.Pulls = append(g.Pulls, p)
	}
}

// mostRemembered bounds the lists of tasks that have released and of followers that have ended.
const mostRemembered = 20

func (g *limiter) pullClosed(id string) {
	g.Pulls = slices.DeleteFunc(g.Pulls, func(o signals.OpenPull) bool { return o.Workflow == id })
	g.Closed = remember(g.Closed, id)
}

// remember appends to a bounded list; the oldest go first.
func remember[T comparable](all []T, one T) []T {
	all = append(slices.DeleteFunc(all, func(o T) bool { return o == one }), one)
	return all[max(0, len(all)-mostRemembered):]
}

// acquire queues a request and answers with the first decision. A request that is repeated gets the same admission.
func (g *limiter) acquire(ctx workflow.Context, r signals.AcquireRequest) (signals.AcquireAnswer, error) {
	if r.Workflow == "" || r.Run == "" {
		return signals.AcquireAnswer{}, fault.New(fault.Input, "a request to a limiter needs the workflow and its run")
	}
	if i := g.holder(r.Workflow, r.Run); i >= 0 {
		return g.grant(g.Holders[i].Reserved), nil
	}
	if r.Lease > 0 {
		g.Lease = r.Lease
	}
	if r.Reserve && slices.ContainsFunc(g.Released, func(h signals.Holder) bool { return h.Workflow == r.Workflow && h.Run == r.Run }) {
		return signals.AcquireAnswer{}, fault.New(fault.Conflict, "%s has released its admission already", r.Workflow)
	}
	g.outdated(workflow.Now(ctx), r.Workflow, r.Run)
	i := g.waiter(r.Workflow, r.Run)
	if i < 0 {
		g.N++
		g.Waiters = append(g.Waiters, signals.Waiter{AcquireRequest: r, N: g.N, Since: workflow.Now(ctx)})
	} else {
		g.Waiters[i].AcquireRequest = r
	}
	g.changed = true
	var a signals.AcquireAnswer
	gone := false
	err := workflow.Await(ctx, func() bool {
		h, w := g.holder(r.Workflow, r.Run), g.waiter(r.Workflow, r.Run)
		switch {
		case h >= 0:
			a = g.grant(g.Holders[h].Reserved)
		case w >= 0:
			a = g.Waiters[w].Answer
		default:
			gone = true
		}
		return gone || a.Admitted || a.Wait != ""
	})
	if err == nil && gone {
		return a, fault.New(fault.Conflict, "%s does not wait any more", r.Workflow)
	}
	return a, err
}

func (g *limiter) grant(kept float64) signals.AcquireAnswer {
	return signals.AcquireAnswer{Limiter: g.id, Admitted: true, Ceiling: kept}
}

// failedOnce is the change since which a task that somebody resumed again and again is one task with errors.
const failedOnce = "failed-once"

func (g *limiter) failed(ctx workflow.Context, id string) {
	if !slices.Contains(g.Failed, id) || workflow.GetVersion(ctx, failedOnce, workflow.DefaultVersion, 1) < 1 {
		g.Failures++
	}
	g.Failed = remember(g.Failed, id)
}

// release frees an admission, or takes a waiter out of the queue. It tells whether there was an admission.
func (g *limiter) release(ctx workflow.Context, r signals.ReleaseRequest) (bool, error) {
	was := g.drop(r.Workflow, r.Run)
	if was {
		g.spend(workflow.Now(ctx), r.Spent)
	}
	switch {
	case r.Succeeded:
		g.Failures, g.Failed = 0, nil
	case r.Failed:
		g.failed(ctx, r.Workflow)
	}
	g.Released = remember(g.Released, signals.Holder{Workflow: r.Workflow, Run: r.Run})
	if r.Pull != nil {
		g.Closed = slices.DeleteFunc(g.Closed, func(id string) bool { return id == r.Pull.Workflow })
		g.pullOpened(*r.Pull)
	}
	if r.Closed != "" {
		g.pullClosed(r.Closed)
	}
	g.changed = true
	return was, nil
}
