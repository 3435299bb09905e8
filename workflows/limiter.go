package workflows

import (
	"errors"
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
)

// limiter is the state of a Limiter.
type limiter struct {
	signals.LimiterState
	id      string
	home    string // the namespace, for links
	changed bool   // a request has come since the last decision
}

// Limiter admits tasks of one repository, a limited number at a time, in the order of their requests within a priority. state is that of
// the run before, nil for none. Holders are checked only while somebody waits.
func Limiter(ctx workflow.Context, state *signals.LimiterState) error {
	info := workflow.GetInfo(ctx)
	g := &limiter{id: info.WorkflowExecution.ID, home: info.Namespace}
	if state != nil {
		g.LimiterState = *state
	}
	err := workflow.SetQueryHandlerWithOptions(ctx, signals.QueryLimiter, func() (signals.LimiterState, error) { return g.LimiterState, nil },
		workflow.QueryHandlerOptions{Description: "who works, who waits, and for what"})
	if err != nil {
		return err
	}
	err = errors.Join(
		onUpdate(ctx, signals.Acquire, notForPeople+"a task asks for admission", nil, g.acquire),
		onUpdate(ctx, signals.Release, notForPeople+"a task gives its admission back", nil, g.release))
	if err != nil {
		return err
	}
	for {
		g.changed = false
		g.page().put(ctx)
		if len(g.Waiters) > 0 {
			if err := g.decide(ctx); err != nil {
				return err
			}
			g.page().put(ctx)
		}
		if g.full(ctx) {
			return workflow.NewContinueAsNewError(ctx, signals.Limiter, &g.LimiterState)
		}
		if err := g.wait(ctx); err != nil {
			return err
		}
	}
}

func (g *limiter) full(ctx workflow.Context) bool {
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx)
}

// wait waits until something changes, or until it is time to check the holders.
func (g *limiter) wait(ctx workflow.Context) error {
	woken := func() bool { return g.changed || g.full(ctx) }
	wait, why := g.pause(workflow.Now(ctx))
	if wait <= 0 {
		return workflow.Await(ctx, woken)
	}
	timerCtx, stop := workflow.WithCancel(ctx)
	defer stop()
	timer := workflow.NewTimerWithOptions(timerCtx, wait, workflow.TimerOptions{Summary: why})
	return workflow.Await(ctx, func() bool { return woken() || timer.IsReady() })
}

// decide checks the holders, admits waiters and signals everybody for whom something has changed.
func (g *limiter) decide(ctx workflow.Context) error {
	if err := g.reconcile(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		workflow.GetLogger(ctx).Warn("It is not known who is at work; what is known counts", "error", err)
	}
	in, told := g.admit(workflow.Now(ctx))
	for _, w := range append(in, told...) {
		err := workflow.SignalExternalWorkflow(ctx, w.Workflow, "", signals.Admission, w.Answer).Get(ctx, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // its workflow has ended, or never ran
			g.drop(w.Workflow, w.Run)
			g.changed = true
		}
	}
	return nil
}

// reconcile asks which holders still run and which pull requests are still open.
func (g *limiter) reconcile(ctx workflow.Context) error {
	in := activities.ReconcileInput{Holders: g.Holders, Pulls: g.Pulls}
	for _, h := range g.Released {
		in.Known = append(in.Known, h.Workflow)
	}
	for _, w := range g.Waiters {
		in.Known = append(in.Known, w.Workflow)
		if w.Repository != "" {
			in.Repository, in.Prefix = w.Repository, w.Prefix
		}
	}
	var seen activities.Reconciled
	if err := workflow.ExecuteActivity(courtesy(ctx, "who is at work?"), limiters.ReconcileLimiter, in).Get(ctx, &seen); err != nil {
		return err
	}
	for _, gone := range seen.Gone {
		if g.drop(gone.Workflow, gone.Run) { // it could not report what it has spent
			g.spend(workflow.Now(ctx), gone.Spent)
		}
	}
	g.Pulls = slices.DeleteFunc(g.Pulls, func(p signals.OpenPull) bool {
		return slices.ContainsFunc(seen.Ended, func(e signals.OpenPull) bool {
			e.Task = p.Task // a worker of an earlier release leaves it out
			return e == p
		})
	})
	for _, p := range seen.Open {
		g.pullOpened(p)
	}
	g.Others, g.Reconciled = seen.Others, workflow.Now(ctx)
	return nil
}
