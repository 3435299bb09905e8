package integration

import (
	"math"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// dear is the usage of an answer that costs the implementer 0.02 dollars: 2000 tokens out, at 10 dollars a million.
var dear = task.Usage{Output: 2000}

const dearCost = 0.02

// spent is what the whole answers of the model have cost, at list price.
func spent(s *lab.Stage) float64 {
	sum := 0.0
	for rule, n := range s.WholeTurns() {
		switch {
		case strings.HasPrefix(rule, "plan/"):
			sum += lab.Cost(n, 0)
		case strings.HasPrefix(rule, "fix/"):
			sum += dearCost * float64(n)
		default:
			sum += lab.Cost(0, n)
		}
	}
	return sum
}

func about(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// suspended waits until the task is parked, and checks that it is for this reason and holds nothing.
func suspended(t *testing.T, s *lab.Stage, why signals.Reason) signals.Status {
	t.Helper()
	st := s.Until("the task is suspended", func(st signals.Status) bool { return waiting(st) || st.Phase == task.Ended })
	if st.Phase != task.Suspended || st.Reason != why || !st.NeedsHuman || !strings.Contains(st.NextAction, "`resume`") {
		t.Fatalf("phase %s, reason %s (want %s), next action %q: %s%s", st.Phase, st.Reason, why, st.NextAction, st.Detail, lab.Log(st))
	}
	s.Parked()
	return st
}

func resumed(t *testing.T, s *lab.Stage, payload map[string]any) {
	t.Helper()
	if ack, err := s.Updated(signals.Resume, payload); err != nil || ack.Text != "the task continues" {
		t.Fatalf("resume %v: %+v, %v", payload, ack, err)
	}
}

// TestBudgetOfMoney lets a task that may cost 0.05 dollars come to that in the middle of a session. The answer that passes the
// ceiling is the last one; more money lets the same session go on.
func TestBudgetOfMoney(t *testing.T) {
	t.Parallel()
	const budget = 0.05
	script := lab.Brief()
	for at := range script.Rules[1].Turns {
		script = lab.With(script, "fix", at, func(turn *agenttest.Turn) { turn.Usage = dear })
	}
	s := lab.NewStage(t, script, lab.QuickSettings)
	s.Play(func(in map[string]any) { in["config"] = map[string]any{"budget": map[string]any{"cost": budget}} })
	st := suspended(t, s, signals.ReasonBudget)
	cost := spent(s)
	if cost < budget || cost-dearCost >= budget {
		t.Errorf("%v of %v are spent: not stopped by the answer that passed the ceiling", cost, budget)
	}
	if !about(st.Usage.CostUSD, cost) || st.BudgetUSD != budget {
		t.Errorf("the task says %v of %v, the answers cost %v", st.Usage.CostUSD, st.BudgetUSD, cost)
	}
	if !strings.Contains(st.Detail, "$0.05 of $0.05") {
		t.Errorf("detail %q", st.Detail)
	}
	calls := len(s.Model.Calls())
	resumed(t, s, map[string]any{"addCost": 1, "by": "ann"})
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	if total := spent(s); !about(end.Usage.CostUSD, total) || !about(lab.Sum(end.Sessions).CostUSD, total) || end.BudgetUSD != 1+budget {
		t.Errorf("in the end it cost %v (sessions %v) of %v, the answers cost %v", end.Usage.CostUSD, lab.Sum(end.Sessions).CostUSD, end.BudgetUSD, total)
	}
	if n := s.WholeTurns(); n["fix/0"] != 1 || n["fix/1"] != 1 || n["fix/2"] != 1 || len(end.Sessions) != 3 {
		t.Errorf("answers by turn %v in %d sessions, after %d calls before the stop", n, len(end.Sessions), calls)
	}
}

// TestBudgetOfPlanning stops a planner at its own ceiling. A resume without more money gives it the same amount once more.
func TestBudgetOfPlanning(t *testing.T) {
	t.Parallel()
	script := lab.Brief()
	plan := script.Rules[0].Turns[0]
	script.Rules[0].Turns = []agenttest.Turn{
		{Usage: lab.Counted, Redo: true, Tools: []agenttest.Tool{{Name: "Read", Input: map[string]any{"file_path": "calc.go"}}}}, plan,
	}
	s := lab.NewStage(t, script, lab.QuickSettings)
	s.Play(func(in map[string]any) { in["config"] = map[string]any{"budget": map[string]any{"planCost": 0.01}} })
	st := suspended(t, s, signals.ReasonBudget)
	if !strings.Contains(st.Detail, "planning") || !about(st.Usage.CostUSD, lab.Cost(1, 0)) {
		t.Errorf("cost %v (one answer costs %v), detail %q", st.Usage.CostUSD, lab.Cost(1, 0), st.Detail)
	}
	resumed(t, s, map[string]any{})
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	if n := s.WholeTurns(); n["plan/0"] != 1 || n["plan/1"] != 1 || len(end.Sessions) != 3 {
		t.Errorf("answers by turn %v in %d sessions", n, len(end.Sessions))
	}
}

// TestBudgetOfTime lets a model be silent until the task's running time is used up. More time lets the same session go on.
func TestBudgetOfTime(t *testing.T) {
	t.Parallel()
	const budget = 20 * time.Second // a slow machine with other load needs eight until the first answer is on record
	silence := make(chan struct{})
	script := lab.With(lab.Brief(), "fix", 1, func(turn *agenttest.Turn) {
		turn.Fault = &agenttest.Fault{Hang: true, Times: 1, Release: silence}
	})
	s := lab.NewStage(t, script, lab.QuickSettings)
	s.Play(func(in map[string]any) {
		in["config"] = map[string]any{"budget": map[string]any{"time": budget.String()}}
	})
	st := suspended(t, s, signals.ReasonTime)
	if st.Worked < budget || st.Worked > budget+4*time.Second || st.BudgetTime != budget {
		t.Errorf("it worked %s of %s", st.Worked, st.BudgetTime)
	}
	close(silence) // on a slow machine the model may not have been asked yet
	resumed(t, s, map[string]any{"addTime": "2m"})
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	if end.BudgetTime != budget+2*time.Minute || len(end.Sessions) != 3 || s.WholeTurns()["fix/0"] != 1 {
		t.Errorf("budget %s, %d sessions, answers by turn %v", end.BudgetTime, len(end.Sessions), s.WholeTurns())
	}
}

// TestBudgetEndsBetweenSessions lets the last answer of a session pass the ceiling. The session's work stands and is committed;
// nothing of the next one is there while the task waits.
func TestBudgetEndsBetweenSessions(t *testing.T) {
	t.Parallel()
	budget := lab.Cost(1, 3) - 0.0005
	s := lab.NewStage(t, lab.Brief(), lab.QuickSettings)
	s.Play(func(in map[string]any) { in["config"] = map[string]any{"budget": map[string]any{"cost": budget}} })
	st := suspended(t, s, signals.ReasonBudget)
	if len(st.Commits) != 1 || !about(st.Usage.CostUSD, lab.Cost(1, 3)) {
		t.Errorf("%d commits, cost %v, want %v", len(st.Commits), st.Usage.CostUSD, lab.Cost(1, 3))
	}
	resumed(t, s, map[string]any{"addCost": 1})
	s.Carried(ended(t, s), lab.Messages[0])
	if n := s.WholeTurns(); n["fix/2"] != 1 || n["approve/0"] != 1 {
		t.Errorf("answers by turn %v", n)
	}
}

// TestCancelledSessionIsCounted cancels a task while its model is silent. What its session has used until then counts: the task says so, and the
// limits of the day that it was under have it.
func TestCancelledSessionIsCounted(t *testing.T) {
	t.Parallel()
	silence := make(chan struct{})
	t.Cleanup(func() { close(silence) })
	hang := func(turn *agenttest.Turn) { turn.Fault = &agenttest.Fault{Hang: true, Release: silence} }
	for name, c := range map[string]struct {
		script   agenttest.Script
		settings string
	}{
		"claude": {lab.With(lab.Brief(), "fix", 1, hang), lab.QuickSettings},
		"native": {lab.With(nativeFix(), "fix", 1, hang), nativeQuick},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lab.NewStage(t, c.script, c.settings, "LONGSHIFT_DAILY_COST=100")
			s.Play()
			lab.Eventually(t, time.Minute, "the model is asked again", func() bool { return len(s.Heard("fix", 1)) > 0 })
			if err := s.Client.CancelWorkflow(t.Context(), s.Begun.GetID(), ""); err != nil {
				t.Fatal(err)
			}
			if err := s.Begun.Get(t.Context(), nil); !temporal.IsCanceledError(err) {
				t.Errorf("the task ended with %v", err)
			}
			st, _ := s.Status(s.Begun.GetID())
			if least := lab.Cost(1, 1); st.Usage.CostUSD < least { // what the answer that was cut off has cost is a guess
				t.Errorf("the task says $%v, the whole answers cost $%v", st.Usage.CostUSD, least)
			}
			v, err := s.Client.QueryWorkflow(t.Context(), signals.LimiterOfAll, "", signals.QueryLimiter)
			if err != nil {
				t.Fatal(err)
			}
			var limiter signals.LimiterState
			if err := v.Get(&limiter); err != nil || !about(limiter.Spent, st.Usage.CostUSD) {
				t.Errorf("the limiter says $%v, %v", limiter.Spent, err)
			}
		})
	}
}
