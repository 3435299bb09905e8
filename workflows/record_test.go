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
