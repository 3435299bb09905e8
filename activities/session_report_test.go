package activities

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

const planAnswer = `{"verdict":"work","summary":"Add sums","approach":"","files":["calc.go"],"risks":[],"evidence":"","lines":3,"split":[],` +
	`"deliverables":[{"id":"FIX-1","description":"Add gives the sum","acceptance":["the test passes"]}]}`

const planText = "# Summary\n\nAdd sums\n\n# Deliverables\n\n- [ ] FIX-001: Add gives the sum\n  - the test passes\n\n<PLAN_COMPLETE></PLAN_COMPLETE>\n"

// A report is the same whether the agent reports by tools, by an answer or by markers in its text.
func TestReports(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	plan := &task.Plan{Verdict: task.VerdictWork, Summary: "Add sums", Deliverables: []task.Deliverable{
		{ID: "FIX-001", Description: "Add gives the sum", Acceptance: []string{"the test passes"}, Status: task.Pending}}}
	withFiles := *plan
	withFiles.Files, withFiles.Lines = []string{"calc.go"}, 3
	for _, c := range []struct {
		name string
		role task.Role
		by   string
		p    *player
		want SessionResult
	}{
		{"a plan by a tool", task.Planner, task.AgentClaude, calls("plan_submit", planAnswer),
			SessionResult{Kind: agent.Completed, Plan: &withFiles, Report: task.Report{Kind: task.ReportPlan}}},
		{"a structured plan", task.Planner, "script", answers(planAnswer),
			SessionResult{Kind: agent.Completed, Plan: &withFiles, Report: task.Report{Kind: task.ReportPlan}}},
		{"a plan in text", task.Planner, "script", says(planText),
			SessionResult{Kind: agent.Completed, Plan: plan, Report: task.Report{Kind: task.ReportPlan}}},
		{"a question of the planner", task.Planner, "script", says("<SPEC_ISSUE>which sum?</SPEC_ISSUE>"),
			SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportSpecIssue, Text: "which sum?"}}},
		{"an approval by a tool", task.Reviewer, task.AgentClaude, calls("review_submit", `{"verdict":"approved","text":"fine"}`),
			SessionResult{Kind: agent.Completed, Review: &task.Review{Approved: true, Text: "fine"}, Report: task.Report{Kind: task.ReportNone}}},
		{"an approval in text", task.Reviewer, "script", says("<APPROVED>fine</APPROVED>"),
			SessionResult{Kind: agent.Completed, Review: &task.Review{Approved: true, Text: "fine"}, Report: task.Report{Kind: task.ReportApproved, Text: "fine"}}},
		{"changes in text", task.Reviewer, "script", says("<REQUEST_CHANGES>calc.go:3</REQUEST_CHANGES>"),
			SessionResult{Kind: agent.Completed, Review: &task.Review{Text: "calc.go:3"}, Report: task.Report{Kind: task.ReportChanges, Text: "calc.go:3"}}},
		{"a review without a verdict", task.Reviewer, "script", says("APPROVED, I think"),
			SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportNone}}},
		{"a finding, a note and complete work by tools", task.Implementer, task.AgentClaude,
			calls("finding_report", `{"path":"a.go","text":"it leaks"}`, "note_save", `{"text":"UTC"}`,
				"deliverable_set_status", `{"id":"FIX-001","status":"passed","text":"fix: sum"}`),
			SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportProgress, Text: "fix: sum",
				Notes: []string{"UTC"}, Findings: []string{"a.go: it leaks"}}}},
		{"a question by a tool", task.Implementer, task.AgentClaude, calls("spec_issue", `{"text":"which sum?"}`),
			SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportSpecIssue, Text: "which sum?"}}},
		{"markers of an agent that has tools", task.Implementer, task.AgentClaude, says("<DONE>fix: sum</DONE>"),
			SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportDone, Text: "fix: sum"}}},
		{"work that is blocked", task.Implementer, "script", says("<BLOCKED>no key</BLOCKED>"),
			SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportBlocked, Text: "no key"}}},
	} {
		b.Agents[c.by] = c.p
		in := b.session(c.role, c.by)
		got, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		kept, _ := os.ReadFile(filepath.Join(taskDir(b.Data, in.TaskID), "sessions", in.ID, "spec-issue-1.md"))
		if issue := c.want.Report.Kind == task.ReportSpecIssue; issue && string(kept) != "which sum?\n" || !issue && kept != nil {
			t.Errorf("%s: the folder of the session holds the issue %q", c.name, kept)
		}
		got.Duration, got.Turns = 0, 0
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if s := c.p.sessions()[0]; (s.Reports != nil) != (c.by == task.AgentClaude) || s.ReadOnly != c.role.ReadOnly() {
			t.Errorf("%s: given the tools %+v, read-only %v", c.name, s.Reports, s.ReadOnly)
		}
	}
}

// An approval that has to confirm each deliverable counts only by the tool, which asks what was confirmed. A request for changes counts by text too.
func TestApprovalThatConfirms(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	for text, want := range map[string]*task.Review{
		"<APPROVED>fine</APPROVED>": nil, "<REQUEST_CHANGES>calc.go:3</REQUEST_CHANGES>": {Text: "calc.go:3"},
	} {
		b.Agents[task.AgentClaude] = says(text)
		in := b.session(task.Reviewer, task.AgentClaude)
		in.Prompt.Spec = []string{"SPEC.md"}
		in.Prompt.Plan = &task.Plan{Deliverables: []task.Deliverable{{ID: "FIX-001", Description: "Add", Status: task.Passed}}}
		got, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if diff := cmp.Diff(want, got.Review); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Each message of an agent begins a line, whatever the one before it ends with.
func TestMarkersOfTheNextMessage(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	for _, first := range []string{"Running the tests now", "```\nx\n```", "`x`"} {
		b.Agents["script"] = &player{play: func(_ context.Context, _ agent.Session, tell func(agent.Event)) (agent.Outcome, error) {
			tell(agent.Event{Kind: agent.Text, Text: first})
			tell(agent.Event{Kind: agent.Text, Text: "<DONE>fix: sum</DONE>"})
			return agent.Outcome{Kind: agent.Completed}, nil
		}}
		got, err := b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
		must(t, err)
		if got.Report.Kind != task.ReportDone || got.Report.Text != "fix: sum" {
			t.Errorf("after %q: %+v", first, got.Report)
		}
	}
}

// An unusable answer is an error of the work that says why.
func TestUnusableAnswers(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	for _, c := range []struct {
		role task.Role
		p    *player
		want string
	}{
		{task.Planner, answers(`{"verdict":"work"}`), "the plan can't be used: "},
		{task.Planner, answers(`{"verdict":`), "the plan can't be used: "},
		{task.Planner, says("no plan today"), "the plan can't be used: "},
		{task.Reviewer, answers(`{"verdict":"maybe","text":"x"}`), "the review can't be used: "},
		{task.Reviewer, ends(agent.Turns, strings.Repeat("x", 5000)+" too many turns"), " too many turns"},
	} {
		b.Agents[task.AgentClaude] = c.p
		got, err := b.attempt().session(b.Sessions, b.session(c.role, task.AgentClaude))
		must(t, err)
		if got.Kind == agent.Completed || got.Plan != nil || got.Review != nil || !strings.Contains(got.Error, c.want) || len(got.Error) > 1100 {
			t.Errorf("%s: %+v", c.role, got)
		}
	}
}

// The reviewer gets the diff of the task's commits, and the log has its documented path.
func TestReviewerGetsTheDiff(t *testing.T) {
	t.Parallel()
	p := says("I read it.\n<APPROVED>fine</APPROVED>")
	b := newBench(t, map[string]agent.Agent{"script": p})
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc // sums\n"})
	must(t, b.attempt().run(b.CommitWork, CommitInput{Ref: b.ref, Session: 1, Message: "feat: sum", BaseCommit: b.made.BaseCommit}, nil))
	in := b.session(task.Reviewer, "script")
	in.N = 4
	_, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if s := p.sessions()[0]; !strings.Contains(s.Prompt, "+package calc // sums") || s.Dir != b.work() {
		t.Errorf("the reviewer was asked:\n%s", s.Prompt)
	}
	log, err := os.ReadFile(filepath.Join(b.Data, "tasks", in.TaskID, "logs", "04-reviewer.log"))
	must(t, err)
	for _, line := range []string{"session 4: reviewer, script sonnet", "started 1.0", "I read it.", "[APPROVED] fine", "ended: completed, 1 turns"} {
		if !strings.Contains(string(log), line) {
			t.Errorf("the log does not say %q:\n%s", line, log)
		}
	}
}
