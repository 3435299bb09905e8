package policy

import (
	"testing"

	"github.com/longshift/longshift/internal/policy/grammar"
)

func TestStrictestVerdictIsKept(t *testing.T) {
	var c collector
	c.clear()
	if d := c.result(); d.Verdict != Allow || d.Rule != "allowed" {
		t.Errorf("nothing refused: %+v", d)
	}
	c.clear()
	before := c.about("rm x")
	c.ask("first", "asked about %s", "x")
	c.restore(before)
	c.ask("second", "asked again")
	c.dryRun()
	c.deny("dry", "in a dry run")
	c.resume()
	if d := c.result(); d != (Decision{Ask, "first", "asked about x", "rm x"}) {
		t.Errorf("the first question: %+v", d)
	}
	c.refuse(grammar.Deny, "table", "100% refused")
	c.deny("later", "as strict")
	if d := c.result(); d != (Decision{Deny, "table", "100% refused", ""}) {
		t.Errorf("the first denial: %+v", d)
	}
}

func TestLimitsHoldInDryRuns(t *testing.T) {
	for rule, exceed := range map[string]func(m *meter) bool{
		"syntax.complex": func(m *meter) bool { m.limit(0); return m.step() },
		"syntax.deep": func(m *meter) bool {
			for range maxDepth {
				if !m.enter() {
					t.Fatal("not deep yet")
				}
			}
			return m.enter()
		},
	} {
		var c collector
		c.clear()
		m := meter{verdict: &c, steps: maxSteps}
		c.dryRun()
		if exceed(&m) || c.strictest().Rule != rule || c.strictest().Verdict != Deny {
			t.Errorf("%s: %+v", rule, c.strictest())
		}
		c.deny("dry", "the run is still dry")
		c.resume()
		if m.leave(); rule == "syntax.deep" && !m.enter() {
			t.Error("no way back from the deepest level")
		}
	}
}

// A trial takes back what it changed, but for the steps.
func TestTrialIsTakenBack(t *testing.T) {
	j := newJudge(newPolicy(t, plainConfig()), Request{Role: "implementer"}, observers{})
	g, st := &j.progress, &state{cwd: []place{{path: root}}}
	g.writes.add(grammar.Lit("before"), st, false)
	g.verdict.ask("before", "asked before")
	d := j.trial(func() {
		g.meter.step()
		g.writes.add(grammar.Lit("x"), st, false)
		g.writes.addLink(grammar.Lit("l"), st)
		g.nesting.enterWord()
		g.verdict.deny("trial", "denied in the trial")
	})
	if d.Rule != "trial" || d.Verdict != Deny {
		t.Errorf("the trial: %+v", d)
	}
	if g.verdict.strictest().Rule != "before" || g.writes.count() != 1 || g.writes.isLink("l") || g.nesting.inner() {
		t.Errorf("left behind: %+v", g.writes)
	}
	if g.meter.left() != maxSteps-1 {
		t.Errorf("%d steps left", g.meter.left())
	}
}
