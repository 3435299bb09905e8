package workflows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A deliverable with a proof is done when the proof says so. The proof is written as its outcomes, run by run: "-" fails, "+" passes, "0" runs
// no tests, "x" does not finish.
func TestProofs(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string // outcomes of both proofs; "" is a deliverable without one
		want          string // statuses at the end, with the commit at which the proof passed
		sessions      string
		found         string // a part of the finding
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
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.FixAttempts = 2
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

// A task without a specification has its check, and runs no proofs.
func TestNoProofWithoutSpecification(t *testing.T) {
	w := newWorld(t)
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Planner {
			res = well(in)
			res.Plan.Deliverables[0].Proof = "true"
		}
		return res, nil
	}
	if s := w.start(t); len(w.proofs) > 0 || s.Plan.Deliverables[0].Proof != "" || s.Plan.Deliverables[0].Status != task.Passed {
		t.Errorf("%v, %+v", w.proofs, s.Plan.Deliverables[0])
	}
}
