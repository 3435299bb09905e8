package workflows_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestEditThatLeavesOut: what a person's edit takes out of the plan is named, and the specification is not recorded as carried out.
func TestEditThatLeavesOut(t *testing.T) {
	numbered := aPlan("FIX-009", "API-002")
	numbered.Deliverables[0].Description = "do FIX-001"
	dropping := aPlan("FIX-001")
	dropping.Deprecated = []string{"API-002: do API-002"}
	for name, c := range map[string]struct {
		plans     []*task.Plan // after the first one, which has FIX-001 and API-002
		decisions string       // one an hour: e edits the plan, a approves it
		blocked   bool         // API-002 can't be done, and the first review asks for changes
		sync      bool
		left      string // what is named as left out
	}{
		"another number":     {plans: []*task.Plan{numbered}, decisions: "ea"},
		"left out":           {plans: []*task.Plan{aPlan("FIX-001")}, decisions: "ea", left: "API-002"},
		"left out of a sync": {plans: []*task.Plan{aPlan("FIX-001")}, decisions: "ea", sync: true},
		"still left out":     {plans: []*task.Plan{aPlan("FIX-001"), aPlan("FIX-001", "DOC-003")}, decisions: "eea", left: "API-002"},
		"one of two":         {plans: []*task.Plan{aPlan("DOC-003"), aPlan("DOC-003", "FIX-001")}, decisions: "eea", left: "API-002"},
		"put back":           {plans: []*task.Plan{aPlan("FIX-001"), aPlan("FIX-001", "API-002")}, decisions: "eea"},
		"dropped":            {plans: []*task.Plan{dropping}, decisions: "ea"},
		"dropped later":      {plans: []*task.Plan{aPlan("FIX-001"), dropping}, decisions: "eea"},
		"what was blocked":   {plans: []*task.Plan{aPlan("FIX-003"), aPlan("FIX-003")}, decisions: "aea", blocked: true, left: "API-002"},
	} {
		w, plans, reviews := newWorld(t), 0, 0
		w.known = []activities.Known{{Deliverable: task.Deliverable{ID: "API-002", Description: "do API-002"}, Open: true}}
		w.settings.Approval.Mode, w.settings.Approval.Again = "required", true
		w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
			res = well(in)
			switch {
			case in.Role == task.Planner:
				if plans++; plans > 1 {
					res.Plan = c.plans[plans-2]
				}
			case in.Role == task.Reviewer:
				if reviews++; reviews == 1 && c.blocked {
					res.Review = &task.Review{Text: "name it Sum"}
				}
			case in.Prompt.Deliverable.ID == "API-002" && c.blocked:
				res.Report = task.Report{Kind: task.ReportBlocked, Text: "no network"}
			}
			return res, nil
		}
		for n, d := range c.decisions {
			w.env.RegisterDelayedCallback(func() {
				if d == 'e' {
					w.update(signals.Edit, signals.EditRequest{Text: "not that"})
					return
				}
				w.update(signals.Approve, signals.ApproveRequest{})
			}, time.Duration(n+1)*time.Hour)
		}
		s := w.startWith(t, fmt.Sprintf(`{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"],"sync":%t}`, c.sync))
		if len(w.records) != 1 {
			t.Errorf("%s: recorded %d times: %s", name, len(w.records), s.Detail)
			continue
		}
		found := ""
		for _, f := range s.Findings {
			found += f.Text
		}
		partial := c.left != ""
		if got := w.records[0].Partial; got != partial || (found != "") != partial || !strings.Contains(found, "left out "+c.left+":") && partial {
			t.Errorf("%s: partial %t, found %q", name, got, found)
		}
		told := fmt.Sprint(w.asked[len(w.asked)-1].Prompt.Progress)
		if partial && !strings.Contains(told, c.left+": do "+c.left) {
			t.Errorf("%s: the sessions are told %s", name, told)
		}
	}
}

// TestWordsMayAskForAPart: what a task with words of its own leaves out is not recorded as carried out, unless the status file lists it
// already.
func TestWordsMayAskForAPart(t *testing.T) {
	for name, c := range map[string]struct {
		members string
		planned bool // the status file lists what the specification asks for
		partial bool
	}{
		"no words":                {},
		"words":                   {members: `,"words":true`, partial: true},
		"words beside the record": {members: `,"words":true`, planned: true},
		"words of a sync":         {members: `,"words":true,"sync":true`},
	} {
		w := syncWorld(t)
		w.planned = c.planned
		s := w.startWith(t, `{"repository":"acme/calc","task":"only the part about dates","spec":["SPEC.md"]`+c.members+`}`)
		if len(w.records) != 1 || w.records[0].Partial != c.partial {
			t.Errorf("%s: %s, recorded %+v", name, s.Detail, w.records)
		}
		if told := strings.Contains(fmt.Sprint(s.Findings), "may have asked for a part of it only"); told != c.partial {
			t.Errorf("%s: found %+v", name, s.Findings)
		}
	}
}

// TestRedoneWithoutAChange: an outdated deliverable whose session finds nothing to change is bound to what it was bound to, and not to what
// another one has changed.
func TestRedoneWithoutAChange(t *testing.T) {
	w := syncWorld(t)
	w.planned = true
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if n := len(w.commits); n == 2 { // of FIX-003
			return activities.Committed{Commit: "commit1", Files: 1}, nil
		}
		return activities.Committed{Commit: fmt.Sprintf("commit%d", len(w.commits)), Created: true, Files: 1}, nil
	}
	w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	want := "FIX-002 passed by go test ./...; FIX-003 passed by go test -run Three, renewed; FIX-004 passed by go test ./...; without "
	if len(w.records) != 1 || said(w.records[0]) != want {
		t.Fatalf("recorded %+v, wanted %s", w.records, want)
	}
	for n, want := range []string{"[{base commit1}]", "[]", "[{commit1 commit3}]"} {
		if got := fmt.Sprint(w.records[0].Deliverables[n].Made); got != want {
			t.Errorf("deliverable %d is recorded with %s, want %s", n+1, got, want)
		}
	}
}

// TestNothingChanged: a task that changes no file records what the deliverables of its specification have come to, and a blocked one is no
// success.
func TestNothingChanged(t *testing.T) {
	const spec = `,"spec":["SPEC.md"]`
	const shown = "FIX-002 passed by go test ./...; FIX-003 passed by go test -run Three, renewed; " +
		"FIX-004 passed by go test ./..., renewed; without "
	const blocked = "API-001 blocked by go test ./..., no network; API-002 passed by go test ./...; without "
	dropping := &task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "Less", Evidence: "calc.go does it", Deprecated: []string{"FIX-001"}}
	for name, c := range map[string]struct {
		members string
		planned bool       // the status file lists what the specification asks for
		plan    *task.Plan // nil for two deliverables
		blocked bool       // the first deliverable
		undone  bool       // a second commit takes back what the first one has changed
		same    bool       // the status file says all of it already
		red     bool       // the check fails
		outcome task.Outcome
		records string
	}{
		"nothing to do":      {outcome: task.AlreadyDone},
		"of a specification": {members: spec, planned: true, outcome: task.PullRequest, records: shown},
		"recorded already":   {members: spec, planned: true, same: true, outcome: task.AlreadyDone, records: shown},
		"taken back": {members: spec, undone: true, same: true, outcome: task.AlreadyDone,
			records: "API-001 passed by go test ./...; API-002 passed by go test ./...; without "},
		"red": {members: spec, same: true, red: true, outcome: task.ChecksFailed,
			records: "API-001 passed; API-002 passed; without "},
		"blocked":                     {blocked: true, outcome: task.AllBlocked},
		"blocked, of a specification": {members: spec, blocked: true, outcome: task.PullRequest, records: blocked},
		"blocked, recorded already":   {members: spec, blocked: true, same: true, outcome: task.AllBlocked, records: blocked},
		"only drops":                  {members: spec, plan: dropping, outcome: task.PullRequest, records: "without FIX-001"},
	} {
		w := syncWorld(t)
		w.planned, w.settings.Iterations, w.settings.FixAttempts = c.planned, 1, 0
		plan := c.plan
		if plan == nil {
			plan = aPlan("API-001", "API-002")
		}
		w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
			res, err := planned(*plan)(in)
			if d := in.Prompt.Deliverable; d != nil && d.ID == "API-001" && c.blocked {
				res = well(in)
				res.Report = task.Report{Kind: task.ReportBlocked, Text: "no network"}
			}
			return res, err
		}
		w.commit = func(activities.CommitInput) (activities.Committed, error) {
			if !c.undone {
				return activities.Committed{Commit: "base"}, nil
			}
			return activities.Committed{Commit: fmt.Sprintf("commit%d", len(w.commits)), Created: true, Files: len(w.commits) % 2}, nil
		}
		w.check = func(int) signals.Check { return signals.Check{ExitCode: map[bool]int{true: 1}[c.red]} }
		w.recorded = func(in activities.RecordInput) (activities.Committed, error) {
			if c.same {
				return activities.Committed{Commit: in.Head}, nil
			}
			return activities.Committed{Commit: "recorded", Created: true}, nil
		}
		s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out"`+c.members+`}`)
		records := ""
		for _, in := range w.records {
			records += said(in)
		}
		if s.Outcome != c.outcome || records != c.records || (len(w.requests) > 0) != (c.outcome == task.PullRequest) {
			t.Errorf("%s: %s (%s), %d pull requests, recorded\n%s, wanted\n%s", name, s.Outcome, s.Detail, len(w.requests), records, c.records)
		}
		if c.outcome == task.AllBlocked && (!strings.Contains(s.Detail, "API-001: no network") || strings.Contains(s.Detail, "API-002")) {
			t.Errorf("%s: %s", name, s.Detail)
		}
	}
}
