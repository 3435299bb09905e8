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
