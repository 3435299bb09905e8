package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// turns are the gates that a task passes before it works, and how it stands with them.
type turns struct {
	gates    []*turn
	known    activities.Checked // what the operator limits
	asked    int                // requests to gates so far
	patience time.Duration      // how long the task waits before it asks a gate again
	telling  workflow.Future    // tells the source that the task waits
	closing  string             // the gate to be told that a pull request is open no more
}

// turn is a task's place at one gate.
type turn struct {
	all     bool   // the gate of the whole installation
	id      string // workflow id of the gate, as it has answered
	asked   bool   // the gate may know the task: a place must be given back
	in      bool
	ceiling float64             // US dollars that are kept for the task
	before  float64             // of the task's usage when it was let in
	news    signals.EnterAnswer // what the gate has said since it was asked
}

// reserved is the gate of a task that has come by itself. Its intake may have asked for a place already: whatever becomes of the task, the
// place is given back.
func (t *pipeline) reserved() {
	if !t.guard().None() {
		t.turns.gates = []*turn{{asked: !t.continues}}
	}
}

// guarded adds the gates that the operator's limits ask for.
func (t *pipeline) guarded(known activities.Checked) {
	t.turns.known = known
	if known.Limited && len(t.turns.gates) == 0 {
		t.turns.gates = append(t.turns.gates, &turn{})
	}
	if known.Shared {
		t.turns.gates = append(t.turns.gates, &turn{all: true})
	}
}

func (t *pipeline) guard() task.Guard {
	if t.input.Origin == nil || t.input.Origin.Guard == nil {
		return task.Guard{}
	}
	return *t.input.Origin.Guard
}

// hearTurns takes what gates say while the task waits.
func (t *pipeline) hearTurns(ctx workflow.Context) {
	ch := workflow.GetSignalChannelWithOptions(ctx, signals.Turn, workflow.SignalChannelOptions{Description: "a gate says whether the task may work"})
	workflow.GoNamed(ctx, "signal "+signals.Turn, func(ctx workflow.Context) {
		for {
			var a signals.EnterAnswer
			if !ch.Receive(ctx, &a) {
				return
			}
			for _, g := range t.turns.gates {
				if g.id == a.Gate || g.id == "" && g.all == (a.Gate == signals.GateOfAll) {
					g.news = a
				}
			}
		}
	})
}

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

// hasSettings tells whether the task's settings are known, and with them its budget.
func (t *pipeline) hasSettings() bool { return t.status.Branch != "" }

// budgetAhead is what the task may still spend, as far as that is known before its settings are.
func (t *pipeline) budgetAhead() float64 {
	if !t.hasSettings() {
		return budgetOf(t.input) + t.status.BudgetUSD // what a person has added already
	}
	return max(t.status.BudgetUSD-t.status.Usage.CostUSD, 0)
}

// ceiling is the most that the task may spend, by what its gates have kept for it; 0 for no limit.
func (t *pipeline) ceiling() float64 {
	least := 0.0
	for _, g := range t.turns.gates {
		if g.in && g.ceiling > 0 && (least == 0 || g.ceiling < least) {
			least = g.ceiling
		}
	}
	return least
}

// queued shows that the task waits, and for what.
func (t *pipeline) queued(ctx workflow.Context, a signals.EnterAnswer) {
	s := &t.status
	if s.Phase == task.Queued && s.Reason == signals.Reason(a.Wait) && s.Detail == a.Detail {
		return
	}
	s.Reason, s.Detail, s.WaitingUntil = signals.Reason(a.Wait), clip(a.Detail, 500), a.Until
	s.NextAction = "nothing; it begins by itself. `resume` lets it go before what has come by itself"
	t.say(ctx, "queued", "%s: %s", a.Wait, a.Detail)
	t.enter(ctx, task.Queued)
	t.show(ctx, signals.Notice{})
	t.showQueued(ctx)
}
