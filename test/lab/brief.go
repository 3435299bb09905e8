package lab

import (
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// Brief is what the model says in the shortest story: a plan with one deliverable, one session that does it, and a review
// that approves. The rules are plan, fix (a tool call, another one, the report) and approve.
func Brief() agenttest.Script {
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{
			answer(plan("make the failing test pass", deliverable("FIX-001", "Add gives the sum", "go test passes"))),
		}},
		{Name: "fix", Role: task.Implementer, Turns: []agenttest.Turn{
			write("calc.go", fixed),
			read("calc.go"),
			say("<DONE>\n" + Messages[0] + "\n</DONE>"),
		}},
		{Name: "approve", Role: task.Reviewer, Turns: []agenttest.Turn{
			answer(map[string]any{"verdict": "approved", "text": "Add gives the sum."}),
		}},
	}}
}

// Heard gives the calls for a turn of a rule, in the order they came.
func (s *Stage) Heard(rule string, turn int) (calls []agenttest.Call) {
	for _, c := range s.Model.Calls() {
		if c.Rule == rule && c.Turn == turn {
			calls = append(calls, c)
		}
	}
	return calls
}
