package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// sessions runs agent sessions until one reports.
type sessions struct {
	facts
	journal   *journal
	inbox     *inbox
	questions *questions
	budget    *budget
	parking   *parking
	runner    *runner
	briefing  *briefing
	staffing  *staffing

	errors  int // errors in a row
	loops   int // sessions in a row that went round in circles
	unasked int // sessions in a row that wait for an answer while no question is open
}

// session is one agent session of the task: what is asked, and its state.
type session struct {
	brief brief
	at    int // index in status.Sessions
	input activities.SessionInput
	spent []hostUsage // on each host it has run on
	cap   float64     // US dollars it may cost in all, 0 for what is left of the task's budget
	head  string      // of its conversation, for Longshift's own agent; "" before the first ask
	asked allowance   // what the task might use in all when the session was asked last

	reasked bool // it has ended without a report, and was asked for it
}

// allowance is what a task may use in all. A session keeps to what it was when the session was asked.
type allowance struct {
	cost    float64 // US dollars
	running time.Duration
}

// converse runs sessions in a role until one reports, and returns that report. In between it waits for everything that a person or time
// can remove: budget, quota, a refused key, a spec issue, errors in a row.
func (se *sessions) converse(ctx workflow.Context, role task.Role, b brief) (activities.SessionResult, error) {
	s := se.briefing.newSession(ctx, role, b)
	var o outage
	for {
		if err := se.afford(ctx, s); err != nil {
			return activities.SessionResult{}, err
		}
		var err error
		if s, err = se.staffing.choose(ctx, s); err != nil {
			return activities.SessionResult{}, err
		}
		res, err := se.ask(ctx, s)
		if err != nil {
			if ctx.Err() != nil || !se.parking.liftable(err) {
				return res, err
			}
			if se.staffing.unfit(ctx, s, err) {
				if err := se.staffing.leave(ctx, s, err); err != nil {
					return res, err
				}
				continue
			}
			if err := se.parking.suspendFor(ctx, &o, err); err != nil {
				return res, err
			}
			continue
		}
		se.parking.over(ctx, &o)
		again, err := se.settle(ctx, s, res)
		if err != nil {
			return res, err
		}
		if again == nil {
			return res, nil
		}
		s = again
	}
}

// triesCount is the change since which the running time of an ask that fails counts, and nativeOnce the one since which it counts once where a
// session of Longshift's own agent has told it already.
const (
	triesCount = "tries-count"
	nativeOnce = "native-time-counts-once"
)

// ask runs the session on the task's host.
func (se *sessions) ask(ctx workflow.Context, s *session) (activities.SessionResult, error) {
	s.input.Ask++
	s.asked = allowance{cost: se.status.BudgetUSD, running: se.status.BudgetTime}
	worked := map[string]time.Duration{} // on each host, over all attempts there
	wall := func() time.Duration {       // 0 would be no limit
		return max(se.status.BudgetTime-se.status.Worked+worked[se.assignment.Host], time.Second)
	}
	count := func(d time.Duration) {
		host := se.assignment.Host
		se.budget.worked(d - worked[host])
		worked[host] = d
	}
	var res activities.SessionResult
	err := se.runner.onHost(ctx, step{
		options: func(ctx workflow.Context) workflow.Context { return se.assignment.long(ctx, s.summary(), wall()) },
		call: func(ctx workflow.Context) error {
			se.entry(s).Host = se.assignment.Host
			in := s.input
			in.Ref, in.Wall, in.Precedence = se.journal.ref(), wall(), se.precedence(ctx)
			in.Next = se.briefing.after(s)
			if in.CeilingUSD = se.budget.left(s) + s.on(se.assignment.Host).CostUSD; in.CeilingUSD <= 0 {
				in.CeilingUSD = -1 // 0 would be no ceiling
			}
			if in.Agent == task.AgentNative {
				return se.native(ctx, s, in, &res)
			}
			return workflow.ExecuteActivity(ctx, agentSessions.RunAgent, in).Get(ctx, &res)
		},
		missed: func(err error) {
			b, ok := cut(err)
			if ok && b.Usage != (task.Usage{}) { // without a gateway it is known at the end only
				*s.on(se.assignment.Host) = b.Usage
				se.budget.count(s)
			}
			if ok && b.Worked > 0 && !toldTime(ctx, err) && workflow.GetVersion(ctx, triesCount, workflow.DefaultVersion, 1) >= 1 {
				count(b.Worked)
			}
		},
	})
	if err != nil {
		return res, err
	}
	s.input.Nudge = false // it was for this ask; what follows a wait goes on with the work
	*s.on(se.assignment.Host) = res.Usage
	se.budget.count(s)
	count(res.Duration)
	e := se.entry(s)
	e.Duration += res.Duration
	e.Turns, e.Resumed, e.Outcome = res.Turns, res.Resumed, string(res.Kind)
	return res, nil
}

// entry is the session in the status.
func (f facts) entry(s *session) *signals.Session { return &f.status.Sessions[s.at] }

func (s *session) summary() string {
	text := fmt.Sprintf("session %d: %s", s.input.N, s.input.Role)
	if d := s.input.Prompt.Deliverable; d != nil {
		text += " " + d.ID + " " + excerpt.Clip(d.Description, 80)
	}
	return text
}

// afford parks the task while there is no money or no time for the session.
func (se *sessions) afford(ctx workflow.Context, s *session) error {
	for {
		switch {
		case s.cap > 0 && se.entry(s).Usage.CostUSD >= s.cap && se.status.Usage.CostUSD < se.status.BudgetUSD:
			if err := se.planOn(ctx, s, "planning has used %s of its %s"); err != nil {
				return err
			}
		case se.status.Usage.CostUSD >= se.status.BudgetUSD:
			used, budget := usd(se.status.Usage.CostUSD), usd(se.status.BudgetUSD)
			if err := se.parking.suspend(ctx, signals.ReasonBudget, "%s of %s are used", used, budget); err != nil {
				return err
			}
		case se.status.Worked >= se.status.BudgetTime:
			if err := se.parking.haveTime(ctx); err != nil {
				return err
			}
		default:
			return nil
		}
		se.briefing.note(s)
	}
}

// planOn parks the task until a person lets planning cost as much again. why has places for what it has cost and for what it may.
func (se *sessions) planOn(ctx workflow.Context, s *session, why string) error {
	err := se.parking.suspend(ctx, signals.ReasonBudget, why, usd(se.entry(s).Usage.CostUSD), usd(s.cap))
	s.cap += se.settings.Budget.PlanCost
	return err
}
