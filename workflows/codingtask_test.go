package workflows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

func TestTimerApproves(t *testing.T) {
	w := newWorld(t)
	s := w.start(t)
	if s.Outcome != task.PullRequest || s.PullRequest.Number != 7 {
		t.Errorf("outcome %s, pull request %+v", s.Outcome, s.PullRequest)
	}
	if w.roles() != "piir" {
		t.Errorf("sessions %q, want plan, two deliverables, review", w.roles())
	}
	if len(w.commands) != 3 { // before each implementing session and before the review
		t.Errorf("the check command ran %d times, want 3", len(w.commands))
	}
	if got := []string{w.commits[0].Message, w.commits[1].Message}; got[0] != "did FIX-001" || got[1] != "did API-002" {
		t.Errorf("commit messages %q", got)
	}
	if w.cleaned != 1 || s.Usage.CostUSD != 0.04 {
		t.Errorf("cleaned %d times, cost %v", w.cleaned, s.Usage.CostUSD)
	}
	if s.Worked != 4*time.Minute+3*time.Second {
		t.Errorf("worked %s", s.Worked)
	}
}

func TestApproveBySignalWithoutArguments(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Approving || !s.NeedsHuman {
			t.Errorf("phase %s, needs human %v", s.Phase, s.NeedsHuman)
		}
		w.env.SignalWorkflow(signals.Approve, nil)
	}, 48*time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest {
		t.Errorf("outcome %s", s.Outcome)
	}
}

func TestEditStartsTheTimerAgain(t *testing.T) {
	w := newWorld(t)
	var stale *answer
	w.env.RegisterDelayedCallback(func() {
		w.update(signals.Edit, signals.EditRequest{Revision: 1, Text: "do less"})
	}, 19*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		s := w.status(t)
		if s.Phase != task.Approving || s.Plan.Revision != 2 {
			t.Errorf("35 minutes in: phase %s, revision %d; the timer must have started again", s.Phase, s.Plan.Revision)
		}
		stale = w.update(signals.Approve, signals.ApproveRequest{Revision: 1})
	}, 35*time.Minute)
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "ppiir" {
		t.Errorf("outcome %s, sessions %s", s.Outcome, w.roles())
	}
	var app *temporal.ApplicationError
	if !errors.As(stale.refused, &app) || app.Type() != string(fault.Conflict) ||
		!strings.Contains(app.Message(), "plan revision 1 is stale: the current one is 2") {
		t.Errorf("stale approval: %v", stale.refused)
	}
	if in := w.asked[1].Prompt; in.Edit != "do less" || in.Plan.Revision != 1 {
		t.Errorf("the planner was told %q about revision %d", in.Edit, in.Plan.Revision)
	}
	if w.asked[2].Prompt.Edit != "" {
		t.Error("the edit was told again after it was done")
	}
}

func TestReject(t *testing.T) {
	w := newWorld(t)
	w.env.RegisterDelayedCallback(func() {
		w.update(signals.Reject, signals.RejectRequest{Reason: "not now", Message: signals.Message{By: "maria"}})
	}, time.Minute)
	s := w.start(t)
	if s.Outcome != task.Rejected || s.Detail != "not now" || len(w.requests) != 0 {
		t.Errorf("outcome %s (%s), %d pull requests", s.Outcome, s.Detail, len(w.requests))
	}
	if w.cleaned != 1 {
		t.Error("a rejected task has no work worth keeping; its workspace must go")
	}
}

func TestReviewAsksForChanges(t *testing.T) {
	w := newWorld(t)
	reviews := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role != task.Reviewer {
			if in.Role == task.Planner && reviews > 0 {
				res := well(in)
				res.Plan = aPlan("DOC-003")
				return res, nil
			}
			return activities.SessionResult{}, nil
		}
		reviews++
		res := well(in)
		if reviews == 1 {
			res.Review = &task.Review{Text: "write the docs"}
		}
		return res, nil
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "piirpir" || s.Plan.Revision != 2 {
		t.Errorf("outcome %s, sessions %s, revision %d", s.Outcome, w.roles(), s.Plan.Revision)
	}
	if r := w.asked[4].Prompt.Review; r != "write the docs" {
		t.Errorf("the second planner was given the review %q", r)
	}
	if n := len(w.requests[0].Summary.Deliverables); n != 3 {
		t.Errorf("the pull request lists %d deliverables, want those of both plans", n)
	}
}

// Only files that people could see before they approved are open: a plan after a review that nobody approves opens no more.
func TestFilesThatPlansOpen(t *testing.T) {
	for name, c := range map[string]struct {
		mode  string
		again bool
		want  string
	}{"first plan alone": {"auto", false, "[[a.go] [a.go] [a.go]]"}, "both": {"auto", true, "[[a.go] [a.go] [a.go deploy/x]]"},
		"nobody asks": {"none", false, "[[a.go] [a.go] [a.go deploy/x]]"}} {
		w := newWorld(t)
		w.settings.Approval.Mode, w.settings.Approval.Again = c.mode, c.again
		reviews := 0
		w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
			res := well(in)
			switch {
			case in.Role == task.Planner && reviews == 0:
				res.Plan.Files, res.Plan.Opens = []string{"a.go"}, []string{"secret"}
			case in.Role == task.Planner:
				res.Plan = aPlan("DOC-003")
				res.Plan.Files, res.Plan.Opens = []string{"deploy/x"}, []string{"secret"}
			case in.Role == task.Reviewer:
				if reviews++; reviews == 1 {
					res.Review = &task.Review{Text: "write the docs"}
				}
			default:
				return activities.SessionResult{}, nil
			}
			return res, nil
		}
		if s := w.start(t); s.Outcome != task.PullRequest {
			t.Fatalf("%s: outcome %s", name, s.Outcome)
		}
		var opened [][]string
		for _, in := range w.commits {
			opened = append(opened, in.Planned)
		}
		if got := fmt.Sprint(opened); got != c.want {
			t.Errorf("%s: open for the commits are %s, want %s", name, got, c.want)
		}
		for _, in := range w.asked {
			if p := in.Prompt.Plan; p != nil && slices.Contains(p.Opens, "secret") {
				t.Errorf("%s: the planner opened a file by itself", name)
			}
		}
	}
}

// A person's review goes to the first planner; later ones get the review of the round before.
func TestReviewOfAPerson(t *testing.T) {
	w := newWorld(t)
	reviews := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := activities.SessionResult{}
		if in.Role == task.Reviewer {
			if res, reviews = well(in), reviews+1; reviews == 1 {
				res.Review = &task.Review{Text: "write the docs"}
			}
		}
		return res, nil
	}
	s := w.startWith(t, `{"repository":"acme/calc","task":"do what the review asks for","review":"greet.go: no comment"}`)
	if s.Outcome != task.PullRequest || w.roles() != "piirpr" {
		t.Fatalf("outcome %s, sessions %s", s.Outcome, w.roles())
	}
	for n, want := range map[int]string{0: "greet.go: no comment", 1: "", 4: "write the docs"} {
		if got := w.asked[n].Prompt.Review; got != want {
			t.Errorf("session %d was given the review %q, want %q", n+1, got, want)
		}
	}
}

// The log says which iteration it is, which session begins, and how the output of setup and check ends, for those who read all of it.
func TestLogOfIterations(t *testing.T) {
	w := newWorld(t)
	w.settings.Iterations = 3
	w.check = from(2, signals.Check{ExitCode: 0, Tail: strings.Repeat("x", 5000) + " ok 7"})
	reviews := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role != task.Reviewer {
			return activities.SessionResult{}, nil
		}
		reviews++
		res := well(in)
		res.Review = &task.Review{Approved: reviews > 1, Text: "1. more"}
		return res, nil
	}
	var got []string
	for _, l := range w.start(t).Log {
		switch l.Kind {
		case "iteration", "session", "review":
			got = append(got, l.Kind+" "+l.Text)
		case "output":
			if len(l.Text) > 1100 || !strings.HasPrefix(l.Text, "check: ") || !strings.HasSuffix(l.Text, "ok 7") {
				t.Errorf("output %q", l.Text)
			}
			got = append(got, l.Kind)
		}
		if (task.NotifySettings{Progress: true}).Wants(l.Kind) && (l.Kind == "session" || l.Kind == "output" || l.Kind == "iteration") {
			t.Errorf("people are told of %s", l.Kind)
		}
	}
	want := "iteration 1 of 3\nsession 1 begins: planner\nsession 2 begins: implementer, FIX-001\noutput\nsession 3 begins: implementer, API-002\noutput\n" +
		"session 4 begins: reviewer\nreview changes requested: 1. more\niteration 2 of 3\nsession 5 begins: planner\n"
	if text := strings.Join(got, "\n"); !strings.HasPrefix(text, want) {
		t.Errorf("the log says\n%s\nwant it to begin with\n%s", text, want)
	}
}

// The pull request and a single commit are about all of the work, not about what was done last.
func TestFirstPlanSaysWhatTheWorkIs(t *testing.T) {
	w := newWorld(t)
	w.settings.Iterations, w.settings.Commits = 2, "single"
	plans, reviews := 0, 0
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		switch in.Role {
		case task.Planner:
			plans++
			res = well(in)
			res.Plan.Summary, res.Plan.Approach = fmt.Sprintf("plan %d", plans), fmt.Sprintf("way %d", plans)
		case task.Reviewer:
			if reviews++; reviews == 1 {
				res = well(in)
				res.Review = &task.Review{Text: "a test is missing"}
			}
		}
		return res, nil
	}
	w.start(t)
	if s := w.requests[0].Summary; w.pushed[0].Squash != "plan 1" || s.Title != "plan 1" || s.Overview != "way 1\n\nAfter a review:\n\nway 2" {
		t.Errorf("the commit says %q, the pull request %q and %q", w.pushed[0].Squash, s.Title, s.Overview)
	}
}

func TestMaxIterations(t *testing.T) {
	w := newWorld(t)
	w.settings.Iterations = 2
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := activities.SessionResult{}
		if in.Role == task.Reviewer {
			res = well(in)
			res.Review = &task.Review{Text: "never good enough"}
		}
		return res, nil
	}
	s := w.start(t)
	if s.Outcome != task.MaxIterations || w.cleaned != 0 || len(w.requests) != 0 {
		t.Errorf("outcome %s, cleaned %d", s.Outcome, w.cleaned)
	}
}

// A planner for whom all is done and a reviewer who asks for changes would go on for all rounds. A person is asked, and the next planner is told what
// that person says.
func TestImpasseAsksAPerson(t *testing.T) {
	w := newWorld(t)
	told := ""
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		switch {
		case in.Role == task.Reviewer && told == "":
			res.Review = &task.Review{Text: "the moon is missing"}
		case in.Role == task.Planner && len(w.asked) > 1:
			res.Plan = &task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "s", Evidence: "it adds already"}
			for _, m := range in.Prompt.Messages {
				told += m.Text
			}
		}
		return res, nil
	}
	var asked signals.Status
	w.env.RegisterDelayedCallback(func() {
		asked = w.status(t)
		w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{Note: "leave the moon alone"})
	}, time.Hour)
	s := w.start(t)
	if asked.Reason != signals.ReasonReview || !asked.NeedsHuman || !strings.HasSuffix(asked.Detail, "2 rounds in a row have changed nothing: the moon is missing") {
		t.Errorf("asked for %s: %s", asked.Reason, asked.Detail)
	}
	if s.Outcome != task.PullRequest || w.roles() != "piirprprpr" || told != "leave the moon alone" {
		t.Errorf("outcome %s after %s; the planner was told %q", s.Outcome, w.roles(), told)
	}
}

func TestQuotaIsATimer(t *testing.T) {
	w := newWorld(t)
	hit := false
	var reset time.Time
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && !hit {
			hit = true
			reset = w.env.Now().Add(5 * time.Hour)
			return activities.SessionResult{Kind: agent.Quota, Reset: reset, Error: "limit"}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Waiting || s.Reason != signals.ReasonQuota || s.NeedsHuman {
			t.Errorf("3 hours in: %s %s needs human %v", s.Phase, s.Reason, s.NeedsHuman)
		}
	}, 3*time.Hour)
	s := w.start(t)
	if s.Outcome != task.PullRequest {
		t.Fatalf("outcome %s", s.Outcome)
	}
	if late := w.env.Now().Sub(reset); late < 0 || late > 10*time.Second {
		t.Errorf("went on %s after the reset", late)
	}
	if w.asked[1].ID != w.asked[2].ID || w.asked[2].Ask != 2 {
		t.Errorf("the session must be gone on with: ids %s, %s, ask %d", w.asked[1].ID, w.asked[2].ID, w.asked[2].Ask)
	}
}

func TestResumeCutsTheQuotaWaitShort(t *testing.T) {
	w := newWorld(t)
	hit := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && !hit {
			hit = true
			return activities.SessionResult{Kind: agent.Quota, Reset: w.env.Now().Add(5 * time.Hour)}, nil
		}
		return activities.SessionResult{}, nil
	}
	begun := w.env.Now()
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Resume, map[string]any{"note": "other account"}) }, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || w.env.Now().Sub(begun) > 2*time.Hour {
		t.Errorf("outcome %s after %s", s.Outcome, w.env.Now().Sub(begun))
	}
	if tells := w.asked[2].Prompt.Messages; len(tells) != 1 || tells[0].Text != "other account" {
		t.Errorf("the note was told as %+v", tells)
	}
}

func TestBudgetSuspendsAndMoreGoesOn(t *testing.T) {
	w := newWorld(t)
	w.settings.Budget.Cost = 0.05
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && in.Ask == 1 && in.N == 2 {
			return activities.SessionResult{Kind: agent.Budget, Usage: task.Usage{CostUSD: 0.045}}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		s := w.status(t)
		if s.Phase != task.Suspended || s.Reason != signals.ReasonBudget || !strings.Contains(s.NextAction, "addCost") {
			t.Errorf("%s %s: %s", s.Phase, s.Reason, s.NextAction)
		}
		w.update(signals.Resume, signals.ResumeRequest{AddCost: 1})
	}, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || s.BudgetUSD != 1.05 {
		t.Errorf("outcome %s, budget %v", s.Outcome, s.BudgetUSD)
	}
}

// A session keeps to what the task had when it was asked. What a person adds meanwhile lets it go on, with the same conversation and without a stop.
func TestAddedWhileASessionRuns(t *testing.T) {
	for name, c := range map[string]struct {
		add signals.ResumeRequest
		end activities.SessionResult
	}{
		"money": {signals.ResumeRequest{AddCost: 1}, activities.SessionResult{Kind: agent.Budget, Usage: task.Usage{CostUSD: 0.049}}},
		"time":  {signals.ResumeRequest{AddTime: "1h"}, activities.SessionResult{Kind: agent.Turns, Duration: time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.Budget.Cost, w.settings.Budget.Time = 0.05, task.Duration(time.Hour)
			w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
				if in.N > 1 || in.Ask > 1 {
					return activities.SessionResult{}, nil
				}
				w.env.SignalWorkflow(signals.Resume, c.add)
				return c.end, nil
			}
			s := w.start(t)
			if s.Outcome != task.PullRequest || w.asked[1].N != 1 || strings.Contains(logText(s), "suspended") || strings.Contains(logText(s), "failed") {
				t.Errorf("outcome %s, sessions %s:\n%s", s.Outcome, w.roles(), logText(s))
			}
		})
	}
}

// What is left of the money for planning may be too little for a call. A person who lets it go on gives as much again.
func TestPlanningThatNeedsMoreGoesOn(t *testing.T) {
	w := newWorld(t)
	w.settings.Budget.Cost, w.settings.Budget.PlanCost = 20, 1
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Planner && in.Ask == 1 {
			return activities.SessionResult{Kind: agent.Budget, Usage: task.Usage{CostUSD: 0.9}}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Reason != signals.ReasonBudget || !strings.Contains(s.Detail, "planning may cost: $0.90 of $1.00") {
			t.Errorf("%s: %s", s.Reason, s.Detail)
		}
		w.env.SignalWorkflow(signals.Resume, nil)
	}, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || w.asked[0].CeilingUSD != 1 || w.asked[1].CeilingUSD != 2 || w.asked[1].N != 1 {
		t.Errorf("outcome %s, asked %+v", s.Outcome, w.asked[:2])
	}
}

func TestErrorsInARowSuspend(t *testing.T) {
	w := newWorld(t)
	n := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && n < 4 {
			n++
			return activities.SessionResult{Kind: agent.Errored, Error: "boom"}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Suspended || s.Reason != signals.ReasonErrors {
			t.Errorf("%s %s", s.Phase, s.Reason)
		}
		w.env.SignalWorkflow(signals.Resume, nil)
	}, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || w.roles() != "piiiiiir" {
		t.Errorf("outcome %s, sessions %s", s.Outcome, w.roles())
	}
}

func TestSessionWithoutReportIsAskedOnce(t *testing.T) {
	w := newWorld(t)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		switch {
		case in.N == 2 && in.Ask == 2:
			return activities.SessionResult{Kind: agent.Quota, Error: "used up", Reset: w.env.Now().Add(time.Hour)}, nil
		case in.N == 2:
			return activities.SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportNone}}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.start(t)
	if again := w.asked[2]; again.ID != w.asked[1].ID || !again.Nudge {
		t.Errorf("the session was not asked for its report: %+v", again)
	}
	if later := w.asked[3]; later.ID != w.asked[1].ID || later.Nudge {
		t.Errorf("after a wait the session is asked for its report: %+v", later)
	}
	if fresh := w.asked[4]; fresh.ID == w.asked[1].ID || fresh.Role != task.Implementer {
		t.Errorf("a session that has ended twice without a report is asked again: %+v", fresh)
	}
}

func TestSpecIssueWaitsForAPerson(t *testing.T) {
	w := newWorld(t)
	asked := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Planner && !asked {
			asked = true
			return activities.SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportSpecIssue, Text: "which sum?"}}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		s := w.status(t)
		if n := len(s.SpecIssues); n != 1 || s.SpecIssues[0].Text != "which sum?" || s.SpecIssues[0].Time.IsZero() {
			t.Errorf("kept %+v", s.SpecIssues)
		}
		if s.Reason != signals.ReasonSpecIssue || s.Detail != "which sum?" {
			t.Errorf("%s: %s", s.Reason, s.Detail)
		}
		w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{Note: "the integer one"})
	}, time.Hour)
	w.start(t)
	if tells := w.asked[1].Prompt.Messages; len(tells) != 1 || tells[0].Text != "the integer one" {
		t.Errorf("the answer was told as %+v", tells)
	}
}

// What sessions have found goes to whoever reads the pull request, and to the sessions after them; notes do too.
func TestFindingsAndNotes(t *testing.T) {
	w := newWorld(t)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		res.Report.Findings, res.Report.Notes = []string{string(in.Role) + " found it"}, []string{string(in.Role) + " noted it", "the same"}
		res.Report.Findings = append(res.Report.Findings, strings.Repeat("long ", 300)) // more than is kept of one
		return res, nil
	}
	s := w.start(t)
	sum := w.request(t).Summary
	for _, want := range []string{"planner", "implementer", "reviewer"} {
		if !slices.Contains(sum.Findings, want+" found it") || !slices.Contains(sum.Notes, want+" noted it") {
			t.Errorf("%s: the pull request says %q and %q", want, sum.Findings, sum.Notes)
		}
	}
	if len(s.Findings) != 4 || len(s.Notes) != 4 || s.Findings[0].Text != "planner found it" || s.Findings[0].Time.IsZero() { // two sessions say the same
		t.Errorf("the status has %+v and %+v", s.Findings, s.Notes)
	}
	if told := w.asked[len(w.asked)-1].Prompt.Progress; !slices.ContainsFunc(told, func(e task.Entry) bool { return e.Text == "planner found it" }) {
		t.Errorf("the last session is told %+v", told)
	}
}

// The first findings stay, whatever later sessions report, and it is said that there were more.
func TestManyFindings(t *testing.T) {
	w := newWorld(t)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		for i := range 30 {
			res.Report.Findings = append(res.Report.Findings, fmt.Sprint(in.Role, in.N, ": ", i))
		}
		return res, nil
	}
	w.start(t)
	all := w.request(t).Summary.Findings
	if n := len(all); n != 41 || all[0] != "planner1: 0" || !strings.HasPrefix(all[40], "more was found") {
		t.Errorf("%d findings: %q", n, all)
	}
}

func TestPlannersVerdicts(t *testing.T) {
	for verdict, want := range map[task.Verdict]task.Outcome{task.VerdictAlreadyDone: task.AlreadyDone, task.VerdictDeclined: task.Declined} {
		w := newWorld(t)
		w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
			res := well(in)
			res.Plan = &task.Plan{Verdict: verdict, Evidence: "the test is green"}
			return res, nil
		}
		if s := w.start(t); s.Outcome != want || s.Detail != "the test is green" || w.roles() != "p" {
			t.Errorf("%s: outcome %s (%s), sessions %s", verdict, s.Outcome, s.Detail, w.roles())
		}
	}
}

func TestAllBlocked(t *testing.T) {
	w := newWorld(t)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role != task.Implementer {
			return activities.SessionResult{}, nil
		}
		return activities.SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportBlocked, Text: "no network"}}, nil
	}
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		return activities.Committed{Commit: "base"}, nil
	}
	if s := w.start(t); s.Outcome != task.AllBlocked || !strings.Contains(s.Detail, "FIX-001: no network") {
		t.Errorf("outcome %s: %s", s.Outcome, s.Detail)
	}
	if got := w.commits[0].Message; got != "Part of FIX-001: do FIX-001\n\nno network" {
		t.Errorf("what there is of it is committed as %q", got)
	}
}

func TestAbandonStopsARunningSession(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	w.env.RegisterDelayedCallback(func() {
		w.update(signals.Abandon, signals.AbandonRequest{Reason: "no longer needed", Message: signals.Message{By: "maria"}})
	}, time.Hour)
	if s := w.start(t); s.Outcome != task.Abandoned || !strings.Contains(s.Detail, "maria: no longer needed") {
		t.Errorf("outcome %s: %s", s.Outcome, s.Detail)
	}
}

func TestCancel(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	w.env.RegisterDelayedCallback(w.env.CancelWorkflow, time.Hour)
	w.env.ExecuteWorkflow(workflows.CodingTask, json.RawMessage(`{"repository":"acme/calc","task":"x"}`))
	if err := w.env.GetWorkflowError(); !temporal.IsCanceledError(err) {
		t.Errorf("ended with %v, want cancelled", err)
	}
	if w.cleaned != 0 {
		t.Error("the workspace of a cancelled task is kept")
	}
}

func TestAMessageCountsOnce(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	tell := signals.TellRequest{Message: signals.Message{ID: "delivery-1"}, Text: "use tabs"}
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Tell, tell) }, time.Minute)
	w.env.RegisterDelayedCallback(func() {
		w.update(signals.Tell, tell)
	}, 2*time.Minute)
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Approve, nil) }, 3*time.Minute)
	w.start(t)
	if tells := w.asked[1].Prompt.Messages; len(tells) != 1 || !strings.Contains(tells[0].Text, "use tabs") {
		t.Errorf("told %+v", tells)
	}
}

func TestWrongInput(t *testing.T) {
	for input, want := range map[string]string{
		`{"task":"x"}`:               "repository",
		`{"repository":"acme/calc"}`: "task",
		`{"repository":"acme/calc","task":"x","bsae":"m"}`:                "bsae",
		`{"repository":"not a name","task":"x"}`:                          "not a name",
		`{"repository":"acme/calc","task":"x","config":{"iterations":0}}`: "iterations",
		`[]`: "object",
	} {
		w := newWorld(t)
		w.env.ExecuteWorkflow(workflows.CodingTask, json.RawMessage(input))
		err := w.env.GetWorkflowError()
		var app *temporal.ApplicationError
		if !errors.As(err, &app) || app.Type() != string(fault.Input) || !app.NonRetryable() {
			t.Errorf("%s: %v", input, err)
			continue
		}
		if msg := app.Message(); !strings.Contains(msg, want) || strings.Contains(msg, "\n") {
			t.Errorf("%s: message %q, want one line that names %q", input, msg, want)
		}
		if w.takes != 0 {
			t.Errorf("%s: a host was asked", input)
		}
	}
}

func TestMisspeltKeysAreNotHeard(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var misspelt *answer
	w.env.RegisterDelayedCallback(func() {
		misspelt = w.update(signals.Resume, map[string]any{"addcosts": 5})
		w.env.SignalWorkflow(signals.Approve, map[string]any{"revison": 7})
	}, time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Approving || !strings.Contains(s.Log[len(s.Log)-1].Text, "revison") {
			t.Errorf("phase %s, the log ends with %+v", s.Phase, s.Log[len(s.Log)-1])
		}
		w.env.SignalWorkflow(signals.Approve, nil)
	}, time.Hour)
	w.start(t)
	if misspelt.refused == nil || !strings.Contains(misspelt.refused.Error(), "addcosts") {
		t.Errorf("resume with a misspelt key: %v", misspelt.refused)
	}
}
