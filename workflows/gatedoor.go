package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

func (g *gate) pullOpened(p signals.OpenPull) {
	same := func(o signals.OpenPull) bool {
		return o.Workflow == p.Workflow && (o.Workflow != "" || o.Number == p.Number)
	}
	if !slices.ContainsFunc(g.Pulls, same) && !slices.Contains(g.Closed, p.Workflow) {
		g.Pulls = append(g.Pulls, p)
	}
}

// mostRemembered is how many of those that have left, and of those that have said that they end, are remembered.
const mostRemembered = 20

func (g *gate) pullClosed(id string) {
	g.Pulls = slices.DeleteFunc(g.Pulls, func(o signals.OpenPull) bool { return o.Workflow == id })
	g.Closed = remember(g.Closed, id)
}

// remember adds to a short list, the newest last.
func remember[T comparable](all []T, one T) []T {
	all = append(slices.DeleteFunc(all, func(o T) bool { return o == one }), one)
	return all[max(0, len(all)-mostRemembered):]
}

// enter takes a request, and answers when it is decided for the first time. Who asks again gets the same place.
func (g *gate) enter(ctx workflow.Context, r signals.EnterRequest) (signals.EnterAnswer, error) {
	if r.Workflow == "" || r.Run == "" {
		return signals.EnterAnswer{}, fault.New(fault.Input, "a request to a gate needs the workflow and its run")
	}
	if i := g.holder(r.Workflow, r.Run); i >= 0 {
		return g.letIn(g.Holders[i].Kept), nil
	}
	if r.Lease > 0 {
		g.Lease = r.Lease
	}
	if r.Reserve && slices.ContainsFunc(g.Left, func(h signals.Holder) bool { return h.Workflow == r.Workflow && h.Run == r.Run }) {
		return signals.EnterAnswer{}, fault.New(fault.Conflict, "%s has left already", r.Workflow)
	}
	g.outdated(workflow.Now(ctx), r.Workflow, r.Run)
	i := g.waiter(r.Workflow, r.Run)
	if i < 0 {
		g.N++
		g.Waiters = append(g.Waiters, signals.Waiter{EnterRequest: r, N: g.N, Since: workflow.Now(ctx)})
	} else {
		g.Waiters[i].EnterRequest = r
	}
	g.stirred = true
	var a signals.EnterAnswer
	gone := false
	err := workflow.Await(ctx, func() bool {
		h, w := g.holder(r.Workflow, r.Run), g.waiter(r.Workflow, r.Run)
		switch {
		case h >= 0:
			a = g.letIn(g.Holders[h].Kept)
		case w >= 0:
			a = g.Waiters[w].Answer
		default:
			gone = true
		}
		return gone || a.In || a.Wait != ""
	})
	if err == nil && gone {
		return a, fault.New(fault.Conflict, "%s does not wait any more", r.Workflow)
	}
	return a, err
}

func (g *gate) letIn(kept float64) signals.EnterAnswer {
	return signals.EnterAnswer{Gate: g.id, In: true, Ceiling: kept}
}

// leave frees a place, or takes one out of the queue. Who is not there has left before.
func (g *gate) leave(ctx workflow.Context, r signals.LeaveRequest) (bool, error) {
	was := g.drop(r.Workflow, r.Run)
	if was {
		g.spend(workflow.Now(ctx), r.Spent)
	}
	switch {
	case r.Good:
		g.Troubles = 0
	case r.Trouble:
		g.Troubles++
	}
	g.Left = remember(g.Left, signals.Holder{Workflow: r.Workflow, Run: r.Run})
	if r.Pull != nil {
		g.Closed = slices.DeleteFunc(g.Closed, func(id string) bool { return id == r.Pull.Workflow })
		g.pullOpened(*r.Pull)
	}
	if r.Closed != "" {
		g.pullClosed(r.Closed)
	}
	g.stirred = true
	return was, nil
}
