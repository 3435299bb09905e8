package lab

import (
	"fmt"
	"net/http"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// NativeSettings are the settings of a repository whose tasks are for Longshift's own agent.
const NativeSettings = "agent: native\n" + Settings

// Call is a turn in which the model calls tools of Longshift's own agent: pairs of a name and its arguments.
func Call(pairs ...any) agenttest.Turn {
	var t agenttest.Turn
	for i := 0; i < len(pairs); i += 2 {
		t.Tools = append(t.Tools, agenttest.Tool{Name: pairs[i].(string), Input: pairs[i+1].(Args)})
	}
	return turn(t)
}

// Args are the arguments of a call.
type Args = map[string]any

// Passed is a turn that reports a deliverable as done.
func Passed(id, message string) agenttest.Turn {
	return Call("deliverable_set_status", Args{"id": id, "status": "passed", "text": message})
}

// NativeScript is the story of Script, told to Longshift's own agent.
func NativeScript() agenttest.Script {
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "plan-again", Role: task.Planner, Match: Complaint, Turns: []agenttest.Turn{
			Call("read_file", Args{"path": "calc.go"}),
			answer(plan("describe the package", deliverable("DOC-003", "Describe Add and Mul in README.md", "README.md names both"))),
		}},
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{
			Call("list_dir", Args{}, "read_lines", Args{"path": "calc.go", "from": 1, "to": 5}, "search", Args{"pattern": "func Test"}),
			answer(plan("make the failing test pass and add Mul",
				deliverable("FIX-001", "Add gives the sum", "go test passes"),
				deliverable("API-002", "Mul gives the product", "Mul is there"))),
		}},
		{Name: "fix", Role: task.Implementer, Match: "Deliverable: FIX-001", Turns: []agenttest.Turn{
			Call("read_file", Args{"path": "calc.go"}, "edit_file", Args{"path": "calc.go", "old": "return a - b", "new": "return a + b"},
				"run_command", Args{"command": "go test ./... && git status --short", "timeout": 120}),
			Call("write_file", Args{"path": "specs/scratch.md", "content": "notes of the agent\n"}, "note_save", Args{"text": "Add subtracted."}),
			Passed("FIX-001", Messages[0]),
		}},
		{Name: "mul", Role: task.Implementer, Match: "Deliverable: API-002", Turns: []agenttest.Turn{
			Call("write_file", Args{"path": "calc.go", "content": multiplied}),
			Passed("API-002", Messages[1]),
		}},
		{Name: "doc", Role: task.Implementer, Match: "Deliverable: DOC-003", Turns: []agenttest.Turn{
			Call("write_file", Args{"path": "README.md", "content": "# calc\n\nAdd gives the sum, Mul the product.\n"}),
			Call("complete_run", Args{"summary": Messages[2]}),
		}},
		{Name: "approve", Role: task.Reviewer, Match: Messages[2], Turns: []agenttest.Turn{
			Call("read_file", Args{"path": "README.md"}, "run_command", Args{"command": "git log --oneline"}),
			answer(map[string]any{"verdict": "approved", "text": "Everything the specs ask for is there."}),
		}},
		{Name: "review", Role: task.Reviewer, Turns: []agenttest.Turn{
			Call("read_file", Args{"path": "calc.go"}),
			answer(map[string]any{"verdict": "request_changes", "text": Complaint}),
		}},
	}}
}

// AnsweredTwice lists the answers of the model that went out as a whole more than once.
func (s *Stage) AnsweredTwice() (list []string) {
	whole := map[string]int{}
	for _, c := range s.Model.Calls() {
		if !c.Whole || c.Status != http.StatusOK {
			continue
		}
		key := fmt.Sprintf("%s %s turn %d", c.Session, c.Rule, c.Turn)
		if whole[key]++; whole[key] == 2 {
			list = append(list, key)
		}
	}
	return list
}
