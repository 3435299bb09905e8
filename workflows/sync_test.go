package workflows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

const syncing = `{"repository":"acme/calc","task":"sync","spec":["SPEC.md"],"sync":true}`

// knownOnes are recorded deliverables: done, blocked, outdated with a proof and with the check alone, and dropped.
func knownOnes() []activities.Known {
	one := func(id string) task.Deliverable { return task.Deliverable{ID: id, Description: "do " + id} }
	with := func(d task.Deliverable, proof, reason string) task.Deliverable {
		d.Proof, d.Reason, d.Status = proof, reason, task.Passed
		return d
	}
	return []activities.Known{
		{Deliverable: one("FIX-001")},
		{Deliverable: one("FIX-002"), Open: true},
		{Deliverable: with(one("FIX-003"), "go test -run Three", "three.go has changed"), Open: true, Outdated: true, Command: "go test -run Three"},
		{Deliverable: with(one("FIX-004"), "", "four.go has changed"), Open: true, Outdated: true, Command: "go test ./..."},
		{Deliverable: one("FIX-005"), Dropped: true},
	}
}

// planned makes the planner answer with a plan.
func planned(p task.Plan) func(activities.SessionInput) (activities.SessionResult, error) {
	return func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan = &p
		}
		return res, nil
	}
}

// syncWorld is a world with recorded deliverables, whose proofs pass.
func syncWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.known, w.settings.Approval.Mode = knownOnes(), "none"
	w.prove = func(string, int) signals.Check { return signals.Check{Ran: &task.Ran{N: 1, Of: task.RanTests}} }
	return w
}

// said lists what was recorded: ids with what they have come to, and what was dropped.
func said(in activities.RecordInput) string {
	var list []string
	for _, r := range in.Deliverables {
		text := r.ID + " " + string(r.Status)
		if r.Proved != nil {
			text += " by " + r.Command
		}
		if r.Renewed {
			text += ", renewed"
		}
		if r.Reason != "" {
			text += ", " + r.Reason
		}
		list = append(list, text)
	}
	return strings.Join(append(list, "without "+strings.Join(in.Deprecated, " ")), "; ")
}

// What is new is created, what nobody asks for is dropped, and what is outdated is shown again: by its command and by a session that is told
// of it. Nothing is implemented.
func TestSync(t *testing.T) {
	w := syncWorld(t)
	w.others = []string{"docs/api.md"}
	w.agent = planned(task.Plan{Verdict: task.VerdictWork, Summary: "Two changes", Deprecated: []string{"FIX-001: old", "FIX-005: dropped already", "FIX-009: unknown"},
		Deliverables: []task.Deliverable{{ID: "FIX-002", Description: "do FIX-002", Status: task.Pending}, {ID: "FIX-001", Description: "something new", Status: task.Pending}}})
	s := w.startWith(t, syncing)
	if s.Outcome != task.PullRequest || w.roles() != "prr" || w.checkouts != 1 || len(w.commits) != 0 {
		t.Fatalf("%s (%s) after %s, %d checkouts, %d commits", s.Outcome, s.Detail, w.roles(), w.checkouts, len(w.commits))
	}
	want := "FIX-003 passed by go test -run Three, renewed; FIX-004 passed by go test ./..., renewed; FIX-006 pending; without FIX-001"
	if got := said(w.records[0]); got != want || len(w.records) != 1 {
		t.Errorf("recorded\n%s, wanted\n%s", got, want)
	}
	if p := w.asked[0].Prompt; !p.Sync || p.Recorded != 5 || len(p.Open) != 3 || len(p.Others) != 1 {
		t.Errorf("the planner is told %+v", p)
	}
	if d := w.asked[1].Prompt.Deliverable; d == nil || d.ID != "FIX-003" || d.Reason != "three.go has changed" || s.Sessions[1].Deliverable != "FIX-003" {
		t.Errorf("the session that looks at it is told of %+v", d)
	}
	if r := w.records[0].Deliverables[0]; r.Verified != s.Sessions[1].ID || !r.Proved.Clean || r.Session != "" {
		t.Errorf("it is recorded as %+v", r)
	}
	if r := w.requests[0].Summary.Recorded; r == nil || !r.Only || len(r.Dropped) != 1 {
		t.Errorf("the pull request says %+v of what is recorded", r)
	}
	if got := w.requests[0].Summary.Title; got != "Two changes" || w.requests[0].HeadCommit != "pushed" {
		t.Errorf("the pull request is %+v", w.requests[0])
	}
	if fmt.Sprint(s.Plan.Deprecated) != "[FIX-001: do FIX-001]" {
		t.Errorf("people see %q", s.Plan.Deprecated)
	}
}

// What its command, or the session, denies is open again, with the reason.
func TestSyncOpensAgain(t *testing.T) {
	w := syncWorld(t)
	done := planned(task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "The same", Evidence: "all of it is there"})
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Reviewer {
			res := well(in)
			res.Review = &task.Review{Text: "It does not round."}
			return res, nil
		}
		return done(in)
	}
	w.prove = func(string, int) signals.Check { return signals.Check{ExitCode: 1} }
	s := w.startWith(t, syncing)
	want := "FIX-003 pending, renewed, its proof go test -run Three fails with exit code 1; " +
		"FIX-004 pending, renewed, a session that looked at it says: It does not round.; without "
	if got := said(w.records[0]); got != want || w.roles() != "pr" || s.Outcome != task.PullRequest {
		t.Errorf("%s after %s, recorded\n%s, wanted\n%s", s.Outcome, w.roles(), got, want)
	}
}

// A status file that is in line already ends the task, with no pull request and no question.
func TestSyncWithNothingToDo(t *testing.T) {
	w := syncWorld(t)
	w.known = w.known[:2]
	w.settings.Approval.Mode = "required"
	w.agent = planned(task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "The same", Evidence: "all of it is there"})
	w.recorded = func(in activities.RecordInput) (activities.Committed, error) {
		return activities.Committed{Commit: in.Head}, nil
	}
	s := w.startWith(t, syncing)
	if s.Outcome != task.AlreadyDone || len(w.requests) != 0 || w.roles() != "p" || w.checkouts != 0 || len(w.records) != 1 {
		t.Errorf("%s: %s after %s", s.Outcome, s.Detail, w.roles())
	}
}

// Nothing that is proposed happens before people have approved it.
func TestSyncAsks(t *testing.T) {
	w := syncWorld(t)
	w.settings.Approval.Mode = "required"
	w.agent = planned(task.Plan{Verdict: task.VerdictWork, Summary: "Less", Deprecated: []string{"FIX-003"}})
	w.env.RegisterDelayedCallback(func() {
		if w.status(t).Phase != task.Approving || len(w.records) != 0 {
			t.Errorf("in phase %s, %d records", w.status(t).Phase, len(w.records))
		}
		w.env.SignalWorkflow(signals.Approve, signals.ApproveRequest{Message: signals.Message{ID: "1", By: "ann"}, Revision: 1})
	}, 1e9)
	s := w.startWith(t, syncing)
	if got := said(w.records[0]); s.Outcome != task.PullRequest || got != "FIX-004 passed by go test ./..., renewed; without FIX-003" {
		t.Errorf("%s, recorded %s", s.Outcome, got)
	}
}

// The task costs what has changed, and not what there is.
func TestSyncOfManyDeliverables(t *testing.T) {
	w := syncWorld(t)
	w.known = nil
	for n := range 60 {
		k := activities.Known{Deliverable: task.Deliverable{ID: fmt.Sprintf("FEAT-%03d", n+1), Description: "do it"}}
		if n%20 == 7 {
			k.Open, k.Outdated, k.Proof, k.Command, k.Reason = true, true, fmt.Sprint("make ", n), fmt.Sprint("make ", n), "it has changed"
		}
		w.known = append(w.known, k)
	}
	w.agent = planned(task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "The same", Evidence: "all of it is there"})
	s := w.startWith(t, syncing)
	if w.roles() != "prrr" || len(w.proofs) != 3 || w.checkouts != 1 || len(w.records[0].Deliverables) != 3 || s.Outcome != task.PullRequest {
		t.Errorf("%s after %s, proofs %v, %d checkouts", s.Outcome, w.roles(), w.proofs, w.checkouts)
	}
}

// A task that carries out a specification and only drops a deliverable records that, though no file of the work has changed.
func TestRunThatOnlyDrops(t *testing.T) {
	w := syncWorld(t)
	w.agent = planned(task.Plan{Verdict: task.VerdictWork, Summary: "Less", Deprecated: []string{"FIX-001"}})
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if s.Outcome != task.PullRequest || len(w.records) != 1 || said(w.records[0]) != "without FIX-001" || len(w.commits) != 0 {
		t.Errorf("%s: %s, %d records, %d commits after %s", s.Outcome, s.Detail, len(w.records), len(w.commits), w.roles())
	}
}
