package acceptance

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// slow is a step that is worth a line of its own beside the story's time.
const slow = 5 * time.Second

// script is what the model says in the stories.
func script(stories []story) agenttest.Script {
	var s agenttest.Script
	for _, y := range stories {
		add := func(name string, role task.Role, match string, steps []step, last agenttest.Turn) {
			r := agenttest.Rule{Name: y.name + "-" + name, Role: role, Match: match}
			for _, step := range steps {
				r.Turns = append(r.Turns, agenttest.Turn{Tools: []agenttest.Tool{step.tool}})
			}
			r.Turns = append(r.Turns, last)
			s.Rules = append(s.Rules, r)
		}
		var deliverables []map[string]any
		for i, w := range y.work {
			deliverables = append(deliverables, map[string]any{"id": w.id, "description": w.message, "acceptance": []string{"the check passes"}})
			last := report("deliverable_set_status", map[string]any{"id": w.id, "status": "passed", "text": w.message})
			if i == 0 {
				finding := report("finding_report", map[string]any{"path": "README.md", "text": found})
				last.Tools = append(finding.Tools, last.Tools...)
			}
			add(w.id, task.Implementer, `/(?s)`+regexp.QuoteMeta(y.ask)+`.*Deliverable: `+w.id+`/`, w.steps, last)
		}
		add("plan", task.Planner, y.ask, y.look, answer(map[string]any{"verdict": "work", "summary": y.ask, "approach": "Step by step.",
			"files": []string{"README.md"}, "risks": []string{}, "evidence": "", "lines": 9, "split": []string{}, "deliverables": deliverables}))
		add("review", task.Reviewer, y.ask, y.look, answer(map[string]any{"verdict": "approved", "text": "It does what was asked for."}))
	}
	return s
}

// found is what the first session that works on a story finds.
const found = "The README promises more than there is."

func report(tool string, input map[string]any) agenttest.Turn {
	return agenttest.Turn{Tools: []agenttest.Tool{{Name: "mcp__longshift__" + tool, Input: input}}}
}

func answer(v any) agenttest.Turn {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return agenttest.Turn{Answer: data}
}

// results looks at what the model got to see in each session of the story.
func (y story) results(t testing.TB, d *dev) {
	t.Helper()
	rules := map[string][]step{y.name + "-plan": y.look, y.name + "-review": y.look}
	for _, w := range y.work {
		rules[y.name+"-"+w.id] = w.steps
	}
	newest := map[string]agenttest.Call{}
	for _, c := range d.model.Calls() {
		if before, ok := newest[c.Rule]; ok && rules[c.Rule] != nil && c.Time.Sub(before.Time) > slow {
			t.Logf("%s, step %d took %s", c.Rule, c.Turn, c.Time.Sub(before.Time).Round(100*time.Millisecond))
		}
		newest[c.Rule] = c
	}
	for rule, steps := range rules {
		c, heard := newest[rule]
		if !heard {
			t.Errorf("%s: the model was not asked", rule)
			continue
		}
		results, err := c.Results()
		must(t, err)
		for i := range results {
			results[i].Text, results[i].Failed = d.read(results[i])
		}
		judge(t, rule, steps, results)
	}
	for _, c := range d.model.Unscripted() {
		if strings.Contains(c.Prompt, y.ask) {
			t.Errorf("a call that no rule fits: %s", c.Error)
		}
	}
}
