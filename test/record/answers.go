package main

import (
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// deliverables are what plans are made of.
var deliverables = map[string]task.Deliverable{
	"FIX-001": {ID: "FIX-001", Description: "Add gives the sum", Acceptance: []string{"TestAdd passes"}, Status: task.Pending},
	"API-002": {ID: "API-002", Description: "Mul gives the product", Acceptance: []string{"TestMul covers zero"}, Status: task.Pending},
	"DOC-003": {ID: "DOC-003", Description: "README.md describes both", Acceptance: []string{"each has an example"}, Status: task.Pending},
}

func planned(ids ...string) *task.Plan {
	p := &task.Plan{Verdict: task.VerdictWork, Summary: "Fix Add and write Mul",
		Approach: "Change an operator, then write Mul.", Files: []string{"calc.go"}}
	for _, id := range ids {
		p.Deliverables = append(p.Deliverables, deliverables[id])
	}
	return p
}

// well is a session that goes well, in any role.
func well(in activities.SessionInput, plan []string) activities.SessionResult {
	res := spent(agent.Completed, "")
	switch in.Role {
	case task.Planner:
		if plan == nil {
			plan = []string{"FIX-001"}
		}
		res.Plan, res.Report.Kind = planned(plan...), task.ReportPlan
	case task.Reviewer:
		res.Review = &task.Review{Approved: true, Text: "All of it is there."}
		res.Report = task.Report{Kind: task.ReportApproved, Text: res.Review.Text}
	default:
		res.Report = task.Report{Kind: task.ReportProgress, Text: "feat: " + in.Prompt.Deliverable.Description}
		if in.Prompt.Deliverable.ID == "FIX-001" {
			res.Report.Notes = []string{"Add subtracted."}
		}
	}
	return res
}

// spent is a session that has cost something, whatever it came to.
func spent(kind agent.OutcomeKind, why string) activities.SessionResult {
	return activities.SessionResult{Kind: kind, Error: why, Turns: 4, Duration: 90 * time.Second,
		Usage: task.Usage{Input: 4000, Output: 900, CostUSD: 0.08, Calls: 4}}
}

// soon is a reset of the quota that a recording can wait for.
func soon() time.Time { return time.Now().UTC().Add(300 * time.Millisecond) }
