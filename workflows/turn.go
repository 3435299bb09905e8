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
	gates   []*turn
	known   activities.Checked // what the operator limits
	asked   int                // requests to gates so far
	before  float64            // US dollars of the task's usage when it was let in last
	telling workflow.Future    // tells the source that the task waits
	closing string             // the gate to be told that a pull request is open no more
}

// turn is a task's place at one gate.
type turn struct {
	all     bool   // the gate of the whole installation
	id      string // workflow id of the gate, as it has answered
	asked   bool   // it has been asked since the task has left it last
	in      bool
	ceiling float64
	news    signals.EnterAnswer // what the gate has said since it was asked
}

// guarded gives the gates of a task: the repository's when it has come by itself or the operator limits it, and that of the whole
// installation when there is such a limit.
func (t *pipeline) guarded(known activities.Checked) {
	t.turns.known = known
	if !t.guard().None() || known.Limited {
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

// pass takes the task through its gates, one after the other, and waits as long as that takes. Nothing is held in memory meanwhile.
func (t *pipeline) pass(ctx workflow.Context, priority int) error {
	phase, passed := t.status.Phase, false
	for _, g := range t.turns.gates {
		if g.in {
			continue
		}
		if err := t.await(ctx, g, priority); err != nil {
			return err
		}
		passed = true
	}
	if !passed {
		return nil
	}
	t.turns.before = t.status.Usage.CostUSD
	if s := &t.status; s.Phase == task.Queued {
		s.Reason, s.Detail, s.NextAction, s.WaitingUntil = "", "", "", time.Time{}
		t.say(ctx, "turn", "its turn has come")
		if phase != task.Queued {
			t.enter(ctx, phase)
		}
	}
	return nil
}

// await waits until a gate lets the task in.
func (t *pipeline) await(ctx workflow.Context, g *turn, priority int) error {
	for wait := askAgain; ; wait = min(2*wait, askAgainLongest) {
		a, err := t.enterGate(ctx, g, priority)
		if err != nil {
			return err
		}
		for a.Gate != "" && !a.In {
			t.queued(ctx, a)
			g.news = signals.EnterAnswer{}
			if err := t.timer(ctx, wait, "ask the gate again", func() bool { return g.news.Gate != "" }); err != nil {
				return err
			}
			a = g.news
		}
		if a.In {
			g.in, g.ceiling = true, a.Ceiling
			return nil
		}
	}
}

// enterGate asks a gate. What it has said meanwhile by a signal is newer than its first answer.
func (t *pipeline) enterGate(ctx workflow.Context, g *turn, priority int) (signals.EnterAnswer, error) {
	t.turns.asked++
	info := workflow.GetInfo(ctx)
	in := activities.EnterInput{Repository: t.repo, All: g.all, N: t.turns.asked, Request: signals.EnterRequest{
		Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID, Priority: priority, Guard: t.guard(), Budget: t.budgetAhead()}}
	if o := t.input.Origin; o != nil {
		in.Request.Intake = o.Intake
	}
	if priority == signals.PriorityResume { // what stands half done does not wait for the pull requests of others
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

// budgetAhead is what the task may still spend, as far as that is known before its settings are.
func (t *pipeline) budgetAhead() float64 {
	if t.status.BudgetUSD > 0 {
		return max(t.status.BudgetUSD-t.status.Usage.CostUSD, 0)
	}
	return budgetOf(t.input)
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
	s.NextAction = "nothing; it begins by itself"
	t.say(ctx, "queued", "%s: %s", a.Wait, a.Detail)
	t.enter(ctx, task.Queued)
	t.show(ctx, signals.Notice{})
	t.showQueued(ctx)
}
