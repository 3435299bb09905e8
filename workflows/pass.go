package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// askAgain is how often a task that waits reminds its gate, in case the gate was lost. It doubles up to the longest.
const (
	askAgain        = 15 * time.Minute
	askAgainLongest = 6 * time.Hour
)

// pass takes the task through its gates and waits as long as that takes; nothing is held in memory meanwhile. waited tells whether it
// had to. Who waits at one gate holds no place at another.
func (t *pipeline) pass(ctx workflow.Context, priority int) (waited bool, err error) {
	phase := t.status.Phase
	t.turns.patience = askAgain
	for {
		closed, a, err := t.knock(ctx, priority)
		if err != nil {
			return waited, err
		}
		if closed == nil {
			break
		}
		waited = true
		t.leaveAll(ctx, signals.LeaveRequest{}, func(g *turn) bool { return g.in })
		if priority, err = t.await(ctx, closed, a, priority); err != nil {
			return waited, err
		}
	}
	if most := t.ceiling(); most > 0 && t.hasSettings() {
		t.status.BudgetUSD = min(t.status.BudgetUSD, t.status.Usage.CostUSD+most)
	}
	if s := &t.status; s.Phase == task.Queued {
		s.Reason, s.Detail, s.NextAction, s.WaitingUntil = "", "", "", time.Time{}
		if waited {
			t.say(ctx, "turn", "its turn has come")
		}
		if phase != task.Queued {
			t.enter(ctx, phase)
		}
	}
	return waited, nil
}

// knock asks every gate that the task has not passed, and gives the first one that stays closed.
func (t *pipeline) knock(ctx workflow.Context, priority int) (*turn, signals.EnterAnswer, error) {
	for _, g := range t.turns.gates {
		if g.in {
			continue
		}
		a, err := t.enterGate(ctx, g, priority)
		if err != nil || !a.In {
			return g, a, err
		}
		g.letIn(a, t.status.Usage.CostUSD)
	}
	return nil, signals.EnterAnswer{}, nil
}

func (g *turn) letIn(a signals.EnterAnswer, used float64) {
	g.in, g.ceiling, g.before = true, a.Ceiling, used
}

// await waits until a gate lets the task in, or until it is to be asked again: after a while, and when a person wants the task to go on,
// which then counts as one that a person has started.
func (t *pipeline) await(ctx workflow.Context, g *turn, a signals.EnterAnswer, priority int) (int, error) {
	resumed := t.resume
	for {
		t.queued(ctx, a)
		g.news = signals.EnterAnswer{}
		err := t.timer(ctx, t.turns.patience, "ask the gate again", func() bool { return g.news.Gate != "" || t.resume > resumed })
		switch a = g.news; {
		case err != nil:
			return priority, err
		case a.In:
			g.letIn(a, t.status.Usage.CostUSD)
			return priority, nil
		case t.resume > resumed:
			return max(priority, signals.PriorityPerson), nil
		case a.Gate == "":
			t.turns.patience = min(2*t.turns.patience, askAgainLongest)
			return priority, nil
		}
	}
}

// enterGate asks a gate. What it has said meanwhile by a signal is newer than its first answer.
func (t *pipeline) enterGate(ctx workflow.Context, g *turn, priority int) (signals.EnterAnswer, error) {
	t.turns.asked++
	info := workflow.GetInfo(ctx)
	in := activities.EnterInput{Repository: t.repo, All: g.all, N: t.turns.asked, Request: signals.EnterRequest{
		Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID, Priority: priority, Guard: t.guard(), Budget: t.budgetAhead(), Before: t.status.Usage.CostUSD}}
	if o := t.input.Origin; o != nil {
		in.Request.Intake = o.Intake
	}
	if priority >= signals.PriorityPerson { // what a person wants now, and what stands half done, waits for no pull request
		in.Request.Guard.PauseIfOpenPR = false
	}
	var a signals.EnterAnswer
	g.asked, g.news = true, signals.EnterAnswer{}
	err := t.insist(ctx, func() error {
		return workflow.ExecuteActivity(t.control(ctx, "may it work now?"), desk.EnterGate, in).Get(ctx, &a)
	})
	if err != nil {
		return a, err
	}
	g.id = a.Gate
	if g.news.Gate != "" && !a.In {
		a = g.news
	}
	return a, nil
}
