package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
)

// gate is the state of one Gate.
type gate struct {
	signals.GateState
	id      string
	stirred bool // somebody has come or gone since it was last decided who may work
}

// Gate lets tasks of one repository work, a limited number at a time, first come first served within a priority. state is what the run
// before has left, nil for none. While nobody waits it does nothing at all: whoever asks
// whether those inside still live has to look.
func Gate(ctx workflow.Context, state *signals.GateState) error {
	g := &gate{id: workflow.GetInfo(ctx).WorkflowExecution.ID}
	if state != nil {
		g.GateState = *state
	}
	err := workflow.SetQueryHandlerWithOptions(ctx, signals.QueryGate, func() (signals.GateState, error) { return g.GateState, nil },
		workflow.QueryHandlerOptions{Description: "who works, who waits, and for what"})
	if err != nil {
		return err
	}
	if err := answerTo(ctx, signals.Enter, "ask to be let in", g.enter); err != nil {
		return err
	}
	if err := answerTo(ctx, signals.Leave, "give the place back", g.leave); err != nil {
		return err
	}
	for {
		workflow.SetCurrentDetails(ctx, g.details())
		g.stirred = false
		if len(g.Waiters) > 0 {
			if err := g.decide(ctx); err != nil {
				return err
			}
		}
		if g.full(ctx) {
			return workflow.NewContinueAsNewError(ctx, signals.Gate, &g.GateState)
		}
		if err := g.rest(ctx); err != nil {
			return err
		}
	}
}

func (g *gate) full(ctx workflow.Context) bool {
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx)
}

// rest waits until something changes, or until it is time to look whether those inside still live.
func (g *gate) rest(ctx workflow.Context) error {
	woken := func() bool { return g.stirred || g.full(ctx) }
	wait, why := g.pause(workflow.Now(ctx))
	if wait <= 0 {
		return workflow.Await(ctx, woken)
	}
	timerCtx, stop := workflow.WithCancel(ctx)
	defer stop()
	timer := workflow.NewTimerWithOptions(timerCtx, wait, workflow.TimerOptions{Summary: why})
	return workflow.Await(ctx, func() bool { return woken() || timer.IsReady() })
}

// decide looks at those inside, lets in who may work now, and tells everybody for whom something has changed.
func (g *gate) decide(ctx workflow.Context) error {
	if err := g.survey(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		workflow.GetLogger(ctx).Warn("It is not known who is at work; what is known counts", "error", err)
	}
	in, told := g.admit(workflow.Now(ctx))
	for _, w := range append(in, told...) {
		err := workflow.SignalExternalWorkflow(ctx, w.Workflow, "", signals.Turn, w.Answer).Get(ctx, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // it has ended, or was never there
			g.drop(w.Workflow, w.Run)
			g.stirred = true
		}
	}
	return nil
}

// survey asks how the world outside stands: who of those inside still lives, which pull requests are still open.
func (g *gate) survey(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: "who is at work?", StartToCloseTimeout: time.Minute, HeartbeatTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: 5},
	})
	in := activities.Survey{Holders: g.Holders, Pulls: g.Pulls}
	for _, h := range g.Left {
		in.Known = append(in.Known, h.Workflow)
	}
	for _, w := range g.Waiters {
		in.Known = append(in.Known, w.Workflow)
		if w.Repository != "" {
			in.Repository, in.Prefix = w.Repository, w.Prefix
		}
	}
	var seen activities.Surveyed
	if err := workflow.ExecuteActivity(ctx, desk.SurveyGate, in).Get(ctx, &seen); err != nil {
		return err
	}
	for _, gone := range seen.Gone {
		if g.drop(gone.Workflow, gone.Run) { // it could not say itself what it has spent
			g.spend(workflow.Now(ctx), gone.Spent)
		}
	}
	g.Pulls = slices.DeleteFunc(g.Pulls, func(p signals.OpenPull) bool {
		return slices.ContainsFunc(seen.Ended, func(e signals.OpenPull) bool { return e == p })
	})
	for _, p := range seen.Open {
		g.pullOpened(p)
	}
	g.Others, g.Surveyed = seen.Others, workflow.Now(ctx)
	return nil
}
