package lab

import (
	"encoding/json"
	"strings"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// Repository is a small Go repository with a failing test: what the story is about.
func Repository(settings string) map[string]string {
	return map[string]string{
		"go.mod":  "module example.com/calc\n\ngo 1.22\n",
		"calc.go": "// Package calc does sums.\npackage calc\n\n// Add gives the sum of a and b.\nfunc Add(a, b int) int { return a - b }\n",
		"calc_test.go": `package calc

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(2, 3); got != 5 {
		t.Fatalf("Add(2, 3) = %d, want 5", got)
	}
}
`,
		"specs/calc.md":   "# calc\n\nAdd gives the sum. Mul gives the product. Both are described in README.md.\n",
		"README.md":       "# calc\n",
		"SOUL.md":         "Be brief.\n",
		".longshift.yaml": settings,
	}
}

// Settings are the story's .longshift.yaml.
const Settings = `check: go test ./...
setup: go version
specs: specs
approval:
  after: 1s
`

// QuickCheck passes once Add gives the sum.
const QuickCheck = `grep -q "a + b" calc.go`

// QuickSettings are those of runs that are about something else than the checks: their check needs no compiler.
const QuickSettings = `check: ` + QuickCheck + `
setup: "true"
specs: specs
approval:
  after: 1s
`

// Ask is the story's task.
const Ask = "make the failing test pass and add Mul as the specs say"

// Messages of the story's commits, in order: what the agent's markers say.
var Messages = []string{
	"fix: make Add give the sum",
	"feat: add Mul",
	"docs: describe Add and Mul in the README",
}

// Counted is the usage of each scripted answer of the story: round figures, so that a sum is easy to check.
var Counted = task.Usage{Input: 1000, Output: 200, CacheRead: 3000, CacheWrite: 400}

// Turns of a session in the story before its last one do something with a tool; the last one reports.
func turn(t agenttest.Turn) agenttest.Turn {
	t.Usage = Counted
	return t
}

func write(name, content string) agenttest.Turn {
	return turn(agenttest.Turn{Redo: true, Tools: []agenttest.Tool{{Name: "Bash", Input: map[string]any{
		"command": "cat > " + name + " <<'END'\n" + content + "END", "description": "write " + name,
	}}}})
}

func say(text string) agenttest.Turn { return turn(agenttest.Turn{Text: text}) }

func answer(v any) agenttest.Turn {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return turn(agenttest.Turn{Answer: data})
}

func read(name string) agenttest.Turn {
	return turn(agenttest.Turn{Redo: true, Tools: []agenttest.Tool{{Name: "Read", Input: map[string]any{"file_path": name}}}})
}

func plan(summary string, deliverables ...map[string]any) map[string]any {
	return map[string]any{
		"verdict": "work", "summary": summary, "approach": "Change calc.go and its test.", "files": []string{"calc.go"},
		"risks": []string{"none that are known"}, "evidence": "", "lines": 6, "split": []string{}, "deliverables": deliverables,
	}
}

func deliverable(id, text, acceptance string) map[string]any {
	return map[string]any{"id": id, "description": text, "acceptance": []string{acceptance}}
}

// Complaint is what the first review asks for; the second plan's prompt carries it.
const Complaint = "The README does not describe Add and Mul, which the specs ask for."

// Fixed is calc.go as the story's first deliverable leaves it.
const Fixed = fixed

const fixed = "// Package calc does sums.\npackage calc\n\n// Add gives the sum of a and b.\nfunc Add(a, b int) int { return a + b }\n"

const multiplied = fixed + "\n// Mul gives the product of a and b.\nfunc Mul(a, b int) int { return a * b }\n"

// Script is what the model says in the story: a plan with two deliverables, a review that asks for changes, a second plan
// with one deliverable, and a review that approves. Each session has more than one turn, so that it can be cut in its middle.
func Script() agenttest.Script {
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "plan-again", Role: task.Planner, Match: Complaint, Turns: []agenttest.Turn{
			read("calc.go"),
			answer(plan("describe the package", deliverable("DOC-003", "Describe Add and Mul in README.md", "README.md names both"))),
		}},
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{
			read("calc.go"),
			answer(plan("make the failing test pass and add Mul",
				deliverable("FIX-001", "Add gives the sum", "go test passes"),
				deliverable("API-002", "Mul gives the product", "Mul is there"))),
		}},
		{Name: "fix", Role: task.Implementer, Match: "Deliverable: FIX-001", Turns: []agenttest.Turn{
			write("calc.go", fixed),
			write("specs/scratch.md", "notes of the agent\n"),
			say("<NOTE>\nAdd subtracted.\n</NOTE>\nDone with the first one.\n<PROGRESS>\n" + Messages[0] + "\n</PROGRESS>"),
		}},
		{Name: "mul", Role: task.Implementer, Match: "Deliverable: API-002", Turns: []agenttest.Turn{
			write("calc.go", multiplied),
			say("<PROGRESS>\n" + Messages[1] + "\n</PROGRESS>"),
		}},
		{Name: "doc", Role: task.Implementer, Match: "Deliverable: DOC-003", Turns: []agenttest.Turn{
			write("README.md", "# calc\n\nAdd gives the sum, Mul the product.\n"),
			say("<DONE>\n" + Messages[2] + "\n</DONE>"),
		}},
		{Name: "approve", Role: task.Reviewer, Match: Messages[2], Turns: []agenttest.Turn{
			read("README.md"),
			answer(map[string]any{"verdict": "approved", "text": "Everything the specs ask for is there."}),
		}},
		{Name: "review", Role: task.Reviewer, Turns: []agenttest.Turn{
			read("calc.go"),
			answer(map[string]any{"verdict": "request_changes", "text": Complaint}),
		}},
	}}
}

// Session is a rule for one implementing session: it writes a file and reports with a message. match is in its prompt.
func Session(name, match, message, content, file string) agenttest.Rule {
	return agenttest.Rule{Name: name, Role: task.Implementer, Match: match,
		Turns: []agenttest.Turn{write(file, content), say("<PROGRESS>\n" + message + "\n</PROGRESS>")}}
}

// Answering is a rule for a session that changes nothing and answers.
func Answering(name, match, text string) agenttest.Rule {
	return agenttest.Rule{Name: name, Role: task.Implementer, Match: match,
		Turns: []agenttest.Turn{read("calc.go"), say("<PROGRESS>\n" + text + "\n</PROGRESS>")}}
}

// With gives a copy of a script in which the turn of a rule is changed.
func With(s agenttest.Script, rule string, at int, change func(*agenttest.Turn)) agenttest.Script {
	rules := append([]agenttest.Rule{}, s.Rules...)
	for i, r := range rules {
		if r.Name == rule {
			rules[i].Turns = append([]agenttest.Turn{}, r.Turns...)
			change(&rules[i].Turns[at])
			s.Rules = rules
			return s
		}
	}
	panic("no rule " + rule + " in the script; there are " + strings.Join(names(rules), ", "))
}

func names(rules []agenttest.Rule) []string {
	var all []string
	for _, r := range rules {
		all = append(all, r.Name)
	}
	return all
}

// Planning is a rule for a planner whose plan has one deliverable, FIX-001. match is in its prompt.
func Planning(name, match, summary string) agenttest.Rule {
	return agenttest.Rule{Name: name, Role: task.Planner, Match: match, Turns: []agenttest.Turn{
		answer(plan(summary, deliverable("FIX-001", "Add gives the sum", "go test passes"))),
	}}
}
