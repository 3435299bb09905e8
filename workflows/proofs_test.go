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

// A proof that another host has run, in a tree where setup had not run, says nothing.
func TestProofOfAHostThatTakesOver(t *testing.T) {
	w := newWorld(t)
	w.settings.Setup, w.settings.Check = "make deps", ""
	w.hosts, w.probe, w.cut = []string{"alpha", "beta"}, unanswered, atSecond
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan.Deliverables[0].Proof = "proof"
		}
		return res, nil
	}
	w.prove = func(_ string, n int) signals.Check { // before the work, cut off, on the other host, and there after setup
		if n < 4 {
			return signals.Check{ExitCode: 1}
		}
		return signals.Check{Ran: &task.Ran{N: 1, Of: task.RanTests}}
	}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if s.Outcome != task.PullRequest || w.roles() != "piir" || s.Host != "beta" {
		t.Errorf("outcome %s on %s after %s", s.Outcome, s.Host, w.roles())
	}
}

// A deliverable with a proof is done when the proof says so. The proof is written as its outcomes, run by run: "-" fails, "+" passes, "0" runs
// no tests, "x" does not finish.
func TestProofs(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string // outcomes of both proofs; "" is a deliverable without one
		want          string // statuses at the end, with the commit at which the proof passed
		sessions      string
		found         string // a part of the finding
		red           bool   // the check fails, on the base too, so no proof runs between the sessions
	}{
		"none":               {want: "passed passed", sessions: "piir"},
		"fails, then passes": {first: "-+", want: "passed at commit2 passed", sessions: "piir"},
		"both":               {first: "-++", second: "-+", want: "passed at commit2 passed at commit2", sessions: "piir"},
		"mended":             {first: "--+", want: "passed at commit3 passed", sessions: "piiir"},
		"no tests":           {first: "-0+", want: "passed at commit3 passed", sessions: "piiir"},
		"not finished":       {first: "-x+", want: "passed at commit3 passed", sessions: "piiir"},
		"never":              {first: "-", want: "blocked passed", sessions: "piiiir"},
		"before the work":    {first: "+", want: "passed at commit2 passed", sessions: "piir", found: "FIX-001: its proof first passed before the work"},
		"no tests before":    {first: "0+", want: "passed at commit2 passed", sessions: "piir"},
		"broken by another":  {first: "-+-+", second: "-+", want: "passed at commit3 passed at commit3", sessions: "piiir"},
		"broken for good":    {first: "-+-", second: "-+", want: "blocked passed at commit5", sessions: "piiiiir"},
		"red, then mended":   {first: "--+", red: true, want: "passed at commit9 passed", sessions: "piiiiiiiiir"},
		"red for good":       {first: "-", red: true, want: "blocked passed", sessions: "piiiiiiiiiiiir"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.FixAttempts = 2
			if c.red {
				w.check = func(int) signals.Check { return fails() }
			}
			w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
				if in.Role == task.Planner {
					res = well(in)
					for i, outcomes := range []string{c.first, c.second} {
						if outcomes != "" {
							res.Plan.Deliverables[i].Proof = []string{"first", "second"}[i]
						}
					}
				}
				return res, nil
			}
			w.prove = func(command string, n int) signals.Check {
				outcomes := map[string]string{"first": c.first, "second": c.second}[command]
				switch outcomes[min(n, len(outcomes))-1] {
				case '+':
					return signals.Check{Ran: &task.Ran{N: 1, Of: task.RanTests}}
				case '0':
					return signals.Check{Ran: &task.Ran{Of: task.RanTests}}
				case 'x':
					return signals.Check{Unfinished: "it was stopped"}
				}
				return signals.Check{ExitCode: 1}
			}
			s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
			var got []string
			for _, d := range s.Plan.Deliverables {
				text := string(d.Status)
				if d.Proved != nil {
					text = fmt.Sprintf("%s at %s", text, d.Proved.Commit)
				}
				got = append(got, text)
			}
			if got := strings.Join(got, " "); got != c.want || w.roles() != c.sessions {
				t.Errorf("%s after %s, wanted %s after %s", got, w.roles(), c.want, c.sessions)
			}
			found := ""
			for _, f := range s.Findings {
				found += f.Text
			}
			if (found != "") != (c.found != "") || !strings.Contains(found, c.found) {
				t.Errorf("found %q", found)
			}
		})
	}
}

// A deliverable whose check fails for another reason goes back with what its proof printed, once that has run.
func TestProofIsToldWhileTheCheckFails(t *testing.T) {
	w := newWorld(t)
	w.settings.FixAttempts = 1
	w.plansProof("go test -run TestIt")
	w.prove = func(_ string, n int) signals.Check {
		return signals.Check{ExitCode: max(0, 3-n), Tail: "TestIt: wrong"}
	}
	w.check = func(int) signals.Check { return fails() }
	w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if w.roles() != "piiiiiir" {
		t.Fatalf("sessions %s", w.roles())
	}
	if r := w.asked[5].Prompt.Result; r == nil || r.Command != "go test -run TestIt" || r.Tail != "TestIt: wrong" {
		t.Errorf("the session that mends it is told of %+v", r)
	}
}

// A proof that replaces another one after a review is a new one: what the old one came to before the work says nothing of it.
func TestProofThatReplacesAnother(t *testing.T) {
	for _, c := range []struct {
		first, second string // outcomes, run by run
		guard         bool
	}{{first: "-+", second: "+", guard: true}, {first: "+", second: "-+"}} {
		w := newWorld(t)
		plans, reviews := 0, 0
		w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
			res = well(in)
			switch in.Role {
			case task.Planner:
				res.Plan.Deliverables = res.Plan.Deliverables[:1]
				res.Plan.Deliverables[0].Proof = []string{"first", "second"}[plans]
				plans++
			case task.Reviewer:
				reviews++
				res.Review = &task.Review{Approved: reviews > 1, Text: "it shows too little"}
			}
			return res, nil
		}
		w.prove = func(command string, n int) signals.Check {
			outcomes := map[string]string{"first": c.first, "second": c.second}[command]
			return signals.Check{ExitCode: strings.Index("+-", outcomes[min(n, len(outcomes))-1:][:1])}
		}
		w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
		if len(w.records) != 1 {
			t.Fatalf("%+v: recorded %d times after %s", c, len(w.records), w.roles())
		}
		if p := w.records[0].Deliverables[0].Proved; p == nil || p.Guard != c.guard {
			t.Errorf("%+v: %+v", c, p)
		}
	}
}

// plansProof has the planner give the first deliverable a proof.
func (w *world) plansProof(command string) {
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan.Deliverables[0].Proof = command
		}
		return res, nil
	}
}

// A decision that comes when the timer has approved the plan, and before its first session, is refused: nobody would act on it.
func TestDecisionAfterTheTimer(t *testing.T) {
	w := newWorld(t)
	w.plansProof("first")
	var late *answer
	w.prove = func(_ string, n int) signals.Check {
		if n == 1 {
			late = w.update(signals.Reject, signals.RejectRequest{Revision: 1})
			return signals.Check{ExitCode: 1}
		}
		return signals.Check{Ran: &task.Ran{N: 1, Of: task.RanTests}}
	}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if late == nil || late.refused == nil || !strings.Contains(late.refused.Error(), "nothing to reject") {
		t.Errorf("the late decision: %+v", late)
	}
	if s.Outcome != task.PullRequest {
		t.Errorf("outcome %s", s.Outcome)
	}
}

// What a proof printed is told to the session that mends it.
func TestProofIsTold(t *testing.T) {
	w := newWorld(t)
	w.settings.FixAttempts = 1
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan.Deliverables = res.Plan.Deliverables[:1]
			res.Plan.Deliverables[0].Proof = "go test -run TestIt"
		}
		return res, nil
	}
	w.prove = func(_ string, n int) signals.Check {
		return signals.Check{ExitCode: max(0, 3-n), Tail: "TestIt: wrong", Ran: &task.Ran{N: 1, Of: task.RanTests}}
	}
	w.check = func(n int) signals.Check { // red on the base
		return signals.Check{ExitCode: max(0, 2-n), Ran: &task.Ran{N: 100, Of: task.RanTests}}
	}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if r := w.asked[1].Prompt.Result; r == nil || r.Command == "go test -run TestIt" {
		t.Errorf("the first session is told of %+v", r)
	}
	if r := w.asked[2].Prompt.Result; r == nil || r.Command != "go test -run TestIt" || r.Exit != 1 || r.Tail != "TestIt: wrong" {
		t.Errorf("the session that mends it is told of %+v", r)
	}
	if p := w.asked[2].Prompt; p.Before != nil || p.Result.RanBefore != nil {
		t.Errorf("what the check came to before is told of a proof: %+v, %+v", p.Before, p.Result.RanBefore)
	}
	if d := s.Plan.Deliverables[0]; d.Proved == nil || w.asked[2].Prompt.Fixing != 1 {
		t.Errorf("%+v, attempt %d", d, w.asked[2].Prompt.Fixing)
	}
}

// Work whose commit is refused again and again is shown to a person before a clean checkout would remove it.
func TestWorkIsSavedBeforeTheCheckout(t *testing.T) {
	w := newWorld(t)
	w.settings.FixAttempts = 0
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan.Deliverables = res.Plan.Deliverables[:1]
			res.Plan.Deliverables[0].Proof = "first"
		}
		return res, nil
	}
	w.prove = func(_ string, n int) signals.Check {
		return signals.Check{ExitCode: min(n, 2) % 2, Ran: &task.Ran{N: 1, Of: task.RanTests}}
	}
	refused := true
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if refused {
			return activities.Committed{Failed: "big.bin has 60 MB", Refused: true}, nil
		}
		return activities.Committed{Commit: "commit1", Created: true, Files: 1}, nil
	}
	var asked signals.Status
	w.env.RegisterDelayedCallback(func() {
		if asked = w.status(t); w.checkouts > 0 {
			t.Error("the work was removed")
		}
		refused = false
		w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{})
	}, time.Hour)
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if asked.Reason != signals.ReasonUnfit || !strings.Contains(asked.Detail, "big.bin") || s.Outcome != task.PullRequest || w.checkouts == 0 {
		t.Errorf("asked for %s: %s; ended %s after %d checkouts", asked.Reason, asked.Detail, s.Outcome, w.checkouts)
	}
}

// A clean checkout that fails for long parks the task: its work is done.
func TestCheckoutThatFails(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = task.ApprovalNone
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan.Deliverables[0].Proof = "first"
		}
		return res, nil
	}
	w.prove = func(_ string, n int) signals.Check {
		return signals.Check{ExitCode: min(n, 2) % 2, Ran: &task.Ran{N: 1, Of: task.RanTests}}
	}
	w.checkout = func(n int) error {
		if n < 5 {
			return away("the disk")
		}
		return nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Waiting || s.Reason != signals.ReasonInfra || w.checkouts != 4 {
			t.Errorf("%s: %s, after %d checkouts", s.Phase, s.Detail, w.checkouts)
		}
	}, 5*time.Minute)
	if s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`); s.Outcome != task.PullRequest || w.checkouts != 5 {
		t.Errorf("ended %s after %d checkouts", s.Outcome, w.checkouts)
	}
}

// What the planner does not say again after a review is not lost: the status file would say that all of the specification is done.
func TestPlanAfterAReviewKeepsWhatIsBlocked(t *testing.T) {
	w := newWorld(t)
	plans, reviews := 0, 0
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		res = well(in)
		switch in.Role {
		case task.Planner:
			if plans++; plans == 2 {
				res.Plan = aPlan("FIX-009")
			}
		case task.Reviewer:
			if reviews++; reviews == 1 {
				res.Review = &task.Review{Text: "name it Sum"}
			}
		case task.Implementer:
			if in.Prompt.Deliverable.ID == "API-002" {
				res.Report = task.Report{Kind: task.ReportBlocked, Text: "no network"}
			}
		}
		return res, nil
	}
	w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if len(w.records) != 1 {
		t.Fatalf("recorded %d times", len(w.records))
	}
	var got []string
	for _, d := range w.records[0].Deliverables {
		got = append(got, d.ID+" "+string(d.Status))
	}
	if want := "FIX-001 passed, FIX-009 passed, API-002 blocked"; strings.Join(got, ", ") != want {
		t.Errorf("recorded %q", got)
	}
}

// TestCommitOfSeveral: work whose commit has failed is in a later commit, and is recorded with it.
func TestCommitOfSeveral(t *testing.T) {
	w := newWorld(t)
	w.check = func(n int) signals.Check {
		if n == 2 { // after the first deliverable
			return fails()
		}
		return signals.Check{}
	}
	tries := 0
	w.commit = func(in activities.CommitInput) (activities.Committed, error) {
		if tries++; tries == 2 {
			return activities.Committed{Failed: "no space"}, nil
		}
		return activities.Committed{Commit: fmt.Sprintf("commit%d", tries), Created: true, Files: 1}, nil
	}
	w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	for n, want := range []string{"[{base commit1} {commit1 commit3}]", "[{commit1 commit3}]"} {
		if got := fmt.Sprint(w.records[0].Deliverables[n].Made); got != want {
			t.Errorf("deliverable %d is recorded with %s, want %s", n+1, got, want)
		}
	}
}

// A task without a specification has its check, and runs no proofs.
func TestNoProofWithoutSpecification(t *testing.T) {
	w := newWorld(t)
	w.plansProof("true")
	if s := w.start(t); len(w.records) > 0 || len(w.proofs) > 0 || s.Plan.Deliverables[0].Proof != "" || s.Plan.Deliverables[0].Status != task.Passed {
		t.Errorf("%v, %+v", w.proofs, s.Plan.Deliverables[0])
	}
}

// What the deliverables have come to is recorded with the evidence for it, before the branch is pushed.
func TestRecord(t *testing.T) {
	w := newWorld(t)
	w.settings.Setup = "make deps"
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan.Deliverables[0].Proof = "go test -run TestIt"
		}
		return res, nil
	}
	w.prove = func(_ string, n int) signals.Check {
		return signals.Check{ExitCode: max(0, 2-n), File: fmt.Sprintf("proof-%d", n), Ran: &task.Ran{N: n, Of: task.RanTests}}
	}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if len(w.records) != 1 || w.checkouts != 1 {
		t.Fatalf("%d records, %d checkouts", len(w.records), w.checkouts)
	}
	in := w.records[0]
	if in.Head != "commit2" || in.Deliverables[0].Verified != s.Sessions[3].ID || len(in.Spec) != 1 || s.Head != "pushed" || w.pushed[0].Reviewed != "recorded" {
		t.Errorf("%+v, then %+v", in, w.pushed)
	}
	one, two := in.Deliverables[0], in.Deliverables[1]
	if p := one.Proved; p == nil || p.Commit != "commit2" || !p.Clean || p.Guard || p.Output != "proof-3" || p.Ran.N != 3 || p.At.IsZero() ||
		one.Command != "go test -run TestIt" || one.Session != s.Sessions[1].ID || fmt.Sprint(one.Made) != "[{base commit1}]" {
		t.Errorf("with a proof: %+v, %+v", one, one.Proved)
	}
	if p := two.Proved; p == nil || p.Commit != "commit2" || !p.Guard || two.Command != "go test ./..." || fmt.Sprint(two.Made) != "[{commit1 commit2}]" {
		t.Errorf("with the check alone: %+v, %+v", two, two.Proved)
	}
	if n := len(w.commands); w.commands[n-1] != "make deps" {
		t.Errorf("a clean checkout is not set up: %q", w.commands)
	}
}

// The host goes while proofs run on a clean checkout: the next one checks the work out, and sets it up like the one before.
func TestCleanProofsOnAnotherHost(t *testing.T) {
	for _, setup := range []string{"make deps", ""} {
		w := newWorld(t)
		w.settings.Setup = setup
		w.plansProof("go test -run TestIt")
		w.hosts, w.probe, w.ahead = []string{"alpha", "beta"}, unanswered, "commit2"
		w.cut = func(command string, n int) error {
			if n == 3 && command == "go test -run TestIt" {
				return stopping()
			}
			return nil
		}
		s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
		if s.Outcome != task.PullRequest || w.takes != 2 || w.checkouts != 2 || setup != "" && w.cleanSetups != 2 {
			t.Errorf("with setup %q: %s on %d hosts, %d checkouts, %d of which were set up", setup, s.Outcome, w.takes, w.checkouts, w.cleanSetups)
		}
	}
}

// A deliverable that passes only with what is not committed goes back, and one that nothing has shown is recorded as it is.
func TestPassesOnlyInTheWorkspace(t *testing.T) {
	w := newWorld(t)
	w.settings.FixAttempts, w.settings.Check = 1, ""
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan.Deliverables[0].Proof = "test -e local.env"
		}
		return res, nil
	}
	w.prove = func(_ string, n int) signals.Check {
		return signals.Check{ExitCode: map[bool]int{true: 0, false: 1}[n == 2 || n == 4]}
	}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	d := s.Plan.Deliverables[0]
	if d.Status != task.Blocked || !strings.Contains(d.Reason, "in a clean checkout") || w.roles() != "piiir" || w.checkouts != 2 {
		t.Errorf("%+v after %s, %d checkouts", d, w.roles(), w.checkouts)
	}
	if r := w.asked[3].Prompt.Result; r == nil || r.Command != "test -e local.env" {
		t.Errorf("the session that mends it is told of %+v", r)
	}
	if got := w.records[0].Deliverables; got[0].Status != task.Blocked || got[1].Status != task.Passed || got[1].Proved != nil {
		t.Errorf("recorded is %+v", got)
	}
}

// An id that the status file has given keeps its meaning, and the planner is told what is open.
func TestKnownDeliverables(t *testing.T) {
	w := newWorld(t)
	w.known = []activities.Known{{Deliverable: task.Deliverable{ID: "FIX-001"}}, {Deliverable: task.Deliverable{ID: "API-007"}},
		{Deliverable: task.Deliverable{ID: "API-002"}, Open: true}}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if got := s.Plan.Deliverables[0].ID + " " + s.Plan.Deliverables[1].ID; got != "FIX-002 API-002" {
		t.Errorf("the plan has %s", got)
	}
	if p := w.asked[0].Prompt; p.Recorded != 3 || fmt.Sprint(p.Open) != "[API-002]" {
		t.Errorf("the planner is told of %d, open %v", p.Recorded, p.Open)
	}
	if p := w.asked[1].Prompt; p.Recorded != 0 {
		t.Errorf("the implementer is told of %d", p.Recorded)
	}
}

// What is recorded of a specification that has not changed is the plan: nobody plans it again, and people approve it as any other.
func TestRecordedDeliverablesAreThePlan(t *testing.T) {
	w := syncWorld(t)
	w.planned, w.known[1].Status, w.known[1].Reason = true, task.Blocked, "no device"
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if s.Outcome != task.PullRequest || w.asked[0].Role != task.Implementer || len(s.Plan.Deliverables) != 3 {
		t.Fatalf("%s, first session %s, plan %+v", s.Outcome, w.asked[0].Role, s.Plan)
	}
	if d := s.Plan.Deliverables[1]; d.ID != "FIX-003" || d.Proof != "go test -run Three" || d.Status != task.Passed {
		t.Errorf("%+v", d)
	}
	if log := fmt.Sprint(w.asked[0].Prompt.Progress); !strings.Contains(log, "FIX-002 is open, as recorded by an earlier task: no device") {
		t.Errorf("the first session is told %s", log)
	}
}

// A task that says more than the specification is planned, so that what it says counts.
func TestWordsBesideTheSpecificationArePlanned(t *testing.T) {
	w := syncWorld(t)
	w.planned = true
	w.startWith(t, `{"repository":"acme/calc","task":"carry it out\n\nonly FIX-003","spec":["SPEC.md"],"words":true}`)
	if w.asked[0].Role != task.Planner || !strings.Contains(w.asked[0].Prompt.Task, "only FIX-003") {
		t.Errorf("the first session is a %s, told %q", w.asked[0].Role, w.asked[0].Prompt.Task)
	}
}

func TestNothingRecordedIsOpen(t *testing.T) {
	w := newWorld(t)
	w.planned, w.known = true, []activities.Known{{Deliverable: task.Deliverable{ID: "FIX-001"}}}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if s.Outcome != task.AlreadyDone || len(w.asked) != 0 || !strings.Contains(s.Detail, "Each deliverable recorded for SPEC.md has passed (1 of 1)") {
		t.Errorf("%s: %s, %d sessions", s.Outcome, s.Detail, len(w.asked))
	}
}

// That a session has tried to write the status file stands in the pull request, and the reviewer is told.
func TestForgedStatusIsNamed(t *testing.T) {
	w := newWorld(t)
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		return activities.Committed{Commit: "commit1", Created: true, Files: 1, Forged: len(w.commits) == 1}, nil
	}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if len(s.Findings) != 1 || !strings.Contains(s.Findings[0].Text, "status file") || len(w.requests[0].Summary.Findings) != 1 {
		t.Errorf("%+v, the pull request has %+v", s.Findings, w.requests[0].Summary)
	}
	said := ""
	for _, e := range w.asked[len(w.asked)-1].Prompt.Progress {
		said += e.Text + "\n"
	}
	if !strings.Contains(said, "status file") {
		t.Errorf("the reviewer is told %q", said)
	}
}
