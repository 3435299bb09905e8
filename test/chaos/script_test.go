package chaos

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// What a person says about a pull request, and the commit that it leads to.
const (
	remark  = "Please say what they take."
	thanks  = "docs: say what Add and Mul take"
	revised = "# calc\n\nAdd gives the sum, Mul the product. Both take ints.\n"
)

// justSum is the task of the short story, which is that of one deliverable.
const justSum = "make the failing test pass, and nothing else"

// script is what the model says: the story, the short one, and a round of work on the remark.
func script() agenttest.Script {
	s, plan, approve := lab.Script(), lab.Brief().Rules[0], lab.Brief().Rules[2]
	plan.Name, plan.Match = "plan-short", justSum
	round := approve
	round.Name, round.Match = "approve-round", "REVIEW-001"
	approve.Name, approve.Match = "approve-short", justSum
	s.Rules = append([]agenttest.Rule{lab.Session("remark", "Deliverable: REVIEW-001", thanks, revised, "README.md"), round, plan, approve}, s.Rules...)
	return s
}

// played is the same for the scripted agent. Its pauses are what a model would take, and its commands can be killed.
var played = "pace: 1\nsessions:\n" + strings.Join([]string{
	entry(task.Planner, "match", lab.Complaint, planned("DOC-003")),
	entry(task.Planner, "match", justSum, planned("FIX-001")),
	entry(task.Planner, "match", "", planned("FIX-001", "API-002")),
	entry(task.Implementer, "deliverable", "FIX-001", wrote("calc.go", "a + b, in calc.go", lab.Messages[0])),
	entry(task.Implementer, "deliverable", "API-002", wrote("mul.go", "a * b, in mul.go", lab.Messages[1])),
	entry(task.Implementer, "deliverable", "DOC-003", wrote("README.md", "Add and Mul", lab.Messages[2])),
	entry(task.Implementer, "deliverable", "REVIEW-001", wrote("README.md", "Both take ints", thanks)),
	entry(task.Reviewer, "match", "REVIEW-001", judged("approved", "fine")),
	entry(task.Reviewer, "match", justSum, judged("approved", "fine")),
	entry(task.Reviewer, "match", lab.Messages[2], judged("approved", "fine")),
	entry(task.Reviewer, "match", "", judged("request_changes", lab.Complaint)),
}, "")

func entry(role task.Role, by, what string, steps ...string) string {
	return fmt.Sprintf("  - role: %s\n    %s: %q\n    steps:\n      - pause: 200ms\n      - usage: {input: 10, output: 10, costUsd: 0.01}\n%s", role, by, what, strings.Join(steps, ""))
}

func planned(ids ...string) string {
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprintf("{id: %s, description: %q, acceptance: [it is there]}", id, "what "+id+" says"))
	}
	return "      - answer: {verdict: work, summary: do it, approach: write it, files: [calc.go], risks: [], evidence: \"\", deliverables: [" + strings.Join(all, ", ") + "]}\n"
}

func wrote(file, content, message string) string {
	return fmt.Sprintf("      - write: {path: %s, content: %q}\n      - run: sleep 0.5\n      - say: %q\n", file, content+"\n", "<PROGRESS>\n"+message+"\n</PROGRESS>")
}

func judged(verdict, text string) string {
	return fmt.Sprintf("      - answer: {verdict: %s, text: %q}\n", verdict, text)
}
