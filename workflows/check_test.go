package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// fails is a check that fails, with the names of tests when there are any.
func fails(tests ...string) signals.Check {
	return signals.Check{ExitCode: 1, Tail: "FAIL", Failing: tests}
}

// from gives a check that passes before the nth run, and fails from then on.
func from(n int, c signals.Check) func(int) signals.Check {
	return func(run int) signals.Check {
		if run < n {
			return signals.Check{}
		}
		return c
	}
}

// request is the task's only request for a pull request.
func (w *world) request(t *testing.T) activities.PullRequestInput {
	t.Helper()
	if len(w.requests) != 1 {
		t.Fatalf("%d pull requests were asked for, want one", len(w.requests))
	}
	return w.requests[0]
}

func TestCheckThatStaysRedIsNoSuccess(t *testing.T) {
	w := newWorld(t)
	w.check = from(2, fails("pkg.TestA"))
	s := w.start(t)
	if s.Outcome != task.ChecksFailed || !strings.Contains(s.Detail, "exit code 1 (pkg.TestA)") || s.PullRequest == nil {
		t.Errorf("outcome %s (%s), pull request %+v", s.Outcome, s.Detail, s.PullRequest)
	}
	if w.roles() != "piiiiiiiir" { // each of the two, three times more
		t.Errorf("sessions %s", w.roles())
	}
	in := w.request(t)
	if c := in.Summary.Checks; !in.Draft || len(c) != 1 || c[0].Passed || c[0].Known || in.Summary.Before != nil {
		t.Errorf("draft %v, checks %+v, before %+v", in.Draft, c, in.Summary.Before)
	}
	if w.cleaned != 1 {
		t.Errorf("cleaned %d times: the work is in the pull request", w.cleaned)
	}
}

func TestDeliverableGoesBackUntilTheCheckPasses(t *testing.T) {
	w := newWorld(t)
	w.check = func(n int) signals.Check {
		if n == 2 { // after the first deliverable
			return fails("pkg.TestA")
		}
		return signals.Check{}
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "piiir" || w.request(t).Draft {
		t.Errorf("outcome %s, sessions %s, draft %v", s.Outcome, w.roles(), w.requests[0].Draft)
	}
	first, mend, second := w.asked[1].Prompt, w.asked[2].Prompt, w.asked[3].Prompt
	if first.Fixing != 0 || mend.Fixing != 1 || second.Fixing != 0 {
		t.Errorf("attempts %d, %d, %d", first.Fixing, mend.Fixing, second.Fixing)
	}
	if mend.Deliverable.ID != "FIX-001" || mend.Result.Exit != 1 || second.Deliverable.ID != "API-002" || second.Result.Exit != 0 {
		t.Errorf("the second session was given %+v with %+v, the third %+v with %+v", mend.Deliverable, mend.Result, second.Deliverable, second.Result)
	}
	if w.checks != 4 { // base, first, mended, second; and none before the review of the same content
		t.Errorf("the check ran %d times", w.checks)
	}
}

func TestLaterDeliverableMendsTheCheck(t *testing.T) {
	w := newWorld(t)
	w.settings.FixAttempts = 0
	w.check = func(n int) signals.Check {
		if n == 2 {
			return fails()
		}
		return signals.Check{}
	}
	if s := w.start(t); s.Outcome != task.PullRequest || w.roles() != "piir" || w.request(t).Draft {
		t.Errorf("outcome %s, sessions %s", s.Outcome, w.roles())
	}
}

func TestAnAgentMaySayThatItCannotMendTheCheck(t *testing.T) {
	w := newWorld(t)
	w.check = from(2, fails())
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := activities.SessionResult{}
		if in.Prompt.Fixing > 0 {
			res = well(in)
			res.Report = task.Report{Kind: task.ReportBlocked, Text: "the test needs a database"}
		}
		return res, nil
	}
	s := w.start(t)
	passed, blocked, _ := s.Plan.Counts()
	if s.Outcome != task.ChecksFailed || w.roles() != "piiiir" || passed != 2 || blocked != 0 {
		t.Errorf("outcome %s, sessions %s, %d passed, %d blocked", s.Outcome, w.roles(), passed, blocked)
	}
}

func TestFlakyCheckCountsAsPassed(t *testing.T) {
	w := newWorld(t)
	w.check = func(n int) signals.Check {
		if n > 1 {
			return signals.Check{Flaky: true, Failing: []string{"pkg.TestTiming"}}
		}
		return signals.Check{}
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "piir" {
		t.Errorf("outcome %s, sessions %s", s.Outcome, w.roles())
	}
	c := w.request(t).Summary.Checks[0]
	if !c.Passed || !c.Flaky || !slices.Equal(c.Failing, []string{"pkg.TestTiming"}) || w.requests[0].Draft {
		t.Errorf("draft %v, the pull request says %+v", w.requests[0].Draft, c)
	}
	if r := w.asked[3].Prompt.Result; !r.Flaky || r.Exit != 0 {
		t.Errorf("the reviewer was told %+v", r)
	}
}

func TestCheckThatDoesNotEnd(t *testing.T) {
	w := newWorld(t)
	killed := signals.Check{ExitCode: -1, Unfinished: "ended by SIGKILL"}
	w.check = func(n int) signals.Check {
		if n == 2 || n == 3 {
			return killed
		}
		return signals.Check{}
	}
	w.env.RegisterDelayedCallback(func() {
		s := w.status(t)
		if s.Phase != task.Suspended || s.Reason != signals.ReasonInfra || !strings.Contains(s.Detail, "SIGKILL") || w.checks != 3 {
			t.Errorf("phase %s (%s: %s) after %d checks", s.Phase, s.Reason, s.Detail, w.checks)
		}
		w.update(signals.Resume, signals.ResumeRequest{})
	}, 10*time.Hour)
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "piir" || w.checks != 5 {
		t.Errorf("outcome %s, sessions %s, %d checks", s.Outcome, w.roles(), w.checks)
	}
}

func TestRedBefore(t *testing.T) {
	for _, c := range []struct {
		name, known string
		base, after signals.Check
		want        task.Outcome
		sessions    string
	}{
		{"the same, by default", "draft", fails("a", "b"), fails("a"), task.ChecksFailed, "piiiiiiiir"},
		{"the same, and known red is ready", "ready", fails("a", "b"), fails("a"), task.PullRequest, "piir"},
		{"another one", "ready", fails("a", "b"), fails("a", "c"), task.ChecksFailed, "piiiiiiiir"},
		{"without names", "ready", fails(), fails(), task.ChecksFailed, "piiiiiiiir"},
		{"without names now", "ready", fails("a"), fails(), task.ChecksFailed, "piiiiiiiir"},
		{"green before", "ready", signals.Check{}, fails("a"), task.ChecksFailed, "piiiiiiiir"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.KnownRed = c.known
			w.check = func(int) signals.Check {
				if len(w.commits) == 0 {
					return c.base
				}
				return c.after
			}
			s := w.start(t)
			in := w.request(t)
			if s.Outcome != c.want || w.roles() != c.sessions || in.Draft != (c.want == task.ChecksFailed) {
				t.Errorf("outcome %s, sessions %s, draft %v", s.Outcome, w.roles(), in.Draft)
			}
			if known := in.Summary.Checks[0].Known; known != (c.want == task.PullRequest) || (in.Summary.Before != nil) == c.base.Passed() {
				t.Errorf("known %v, before %+v", known, in.Summary.Before)
			}
			planner, reviewer := w.asked[0].Prompt, w.asked[len(w.asked)-1].Prompt
			if !planner.Result.OnBase || planner.Result.Exit != c.base.ExitCode || planner.Before != nil {
				t.Errorf("the planner was told %+v, %+v", planner.Result, planner.Before)
			}
			if reviewer.Result.OnBase || (reviewer.Before != nil) == c.base.Passed() {
				t.Errorf("the reviewer was told %+v, %+v", reviewer.Result, reviewer.Before)
			}
		})
	}
}

// Rounds on the pull request know what was red before the task, too.
func TestRedBeforeInRounds(t *testing.T) {
	red := func() *world {
		w := newWorld(t)
		w.follow, w.settings.PullRequest.Follow, w.settings.KnownRed = true, true, "ready"
		w.check = func(int) signals.Check { return fails("a") }
		return w
	}
	w := red()
	in := w.handedOver()
	if s := w.start(t); s.Outcome != task.PullRequest || in.BaseCheck == nil || !slices.Equal(in.BaseCheck.Failing, []string{"a"}) {
		t.Fatalf("%s; handed over %+v", s.Outcome, in.BaseCheck)
	}
	w = red()
	w.lookAfter(t, until(5*time.Hour, open(thread(11, "rename it")), merged()),
		func(to *signals.PullRequestInput) { to.BaseCheck = in.BaseCheck })
	if w.roles() != "ir" || w.asked[1].Prompt.Before == nil || len(w.replies) != 1 || strings.Contains(w.replies[0].Replies[0].Text, "fails") {
		t.Errorf("sessions %s, answers %+v", w.roles(), w.replies)
	}
}

func TestNothingToDoIsNoSuccessOverARedCheck(t *testing.T) {
	w := newWorld(t)
	w.check = from(1, fails("a"))
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		res.Plan = &task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "s", Evidence: "it adds already"}
		return res, nil
	}
	s := w.start(t)
	if s.Outcome != task.ChecksFailed || s.PullRequest != nil || !strings.Contains(s.Detail, "it adds already") ||
		!strings.Contains(s.Detail, "fails with exit code 1 (a)") {
		t.Errorf("outcome %s: %s", s.Outcome, s.Detail)
	}
}

// A planner does not overrule a reviewer: after a review that asks for changes its word ends no task, whether the round before has committed nothing, or
// its commit has failed.
func TestAPlannerDoesNotOverruleTheReview(t *testing.T) {
	for name, out := range map[string]activities.Committed{
		"nothing committed": {Commit: "base"},
		"commit failed":     {Failed: "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.Iterations = 2
			w.commit = func(activities.CommitInput) (activities.Committed, error) {
				if len(w.commits) > 2 {
					return activities.Committed{Commit: "base"}, nil
				}
				return out, nil
			}
			w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
				res := well(in)
				switch {
				case in.Role == task.Reviewer:
					res.Review = &task.Review{Text: "it does not add"}
				case in.Role == task.Planner && len(w.asked) > 1:
					res.Plan = &task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "s", Evidence: "it adds already"}
				}
				return res, nil
			}
			if s := w.start(t); s.Outcome != task.MaxIterations || w.roles() != "piirpr" {
				t.Errorf("outcome %s after %s: %s", s.Outcome, w.roles(), s.Detail)
			}
		})
	}
}

// Setup runs before the first check, and again before work on a tree that it has not passed on: one with new commits, one of another host, and one
// that it has failed on. No check of another host's tree counts before it.
func TestSetupRunsOnceForATree(t *testing.T) {
	const check = "go test ./..."
	for name, c := range map[string]struct {
		change func(w *world)
		want   []string
	}{
		"nothing has changed": {func(*world) {}, []string{"make deps", check, check, check}},
		"it has failed": {func(w *world) { w.setup = signals.Check{ExitCode: 1} },
			[]string{"make deps", check, "make deps", check, check}},
		"a second iteration": {func(w *world) {
			reviews := 0
			w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
				res := well(in)
				if in.Role == task.Reviewer {
					reviews++
					res.Review = &task.Review{Approved: reviews > 1, Text: "1. more"}
				}
				return res, nil
			}
		}, []string{"make deps", check, check, check, "make deps"}},
		"the planner's host has gone": {func(w *world) { w.losesHost(task.Planner) },
			[]string{"make deps", check, "make deps", check, check}},
		"the implementer's host has gone": {func(w *world) { w.losesHost(task.Implementer) },
			[]string{"make deps", check, "make deps", check, check}},
		"the host of a check has gone": {func(w *world) {
			w.hosts, w.probe, w.cut = []string{"alpha", "beta"}, unanswered, atSecond
		}, []string{"make deps", check, check, check, "make deps", check, check}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.Setup = "make deps"
			c.change(w)
			if s := w.start(t); s.Outcome != task.PullRequest || !slices.Equal(w.commands, c.want) {
				t.Errorf("outcome %s, ran %q, wanted %q", s.Outcome, w.commands, c.want)
			}
		})
	}
}

func TestWithoutACheckThePullRequestSaysSo(t *testing.T) {
	w := newWorld(t)
	w.settings.Check, w.settings.Setup = "", "make deps"
	s := w.start(t)
	if in := w.request(t); s.Outcome != task.PullRequest || !in.Summary.Unchecked || len(in.Summary.Checks) != 0 {
		t.Errorf("outcome %s, %+v", s.Outcome, in.Summary)
	}
	if len(w.commands) != 1 {
		t.Errorf("ran %q: without a check, setup is for the work alone", w.commands)
	}
}

// A plan is measured by the settings, and the pull request by what was committed.
func TestSizeReachesPlanAndPullRequest(t *testing.T) {
	for most, split := range map[int]int{10: 1, 0: 0} {
		w := newWorld(t)
		w.settings.PullRequest.MaxLines = most
		w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
			res := well(in)
			if res.Plan != nil {
				res.Plan.Lines, res.Plan.Split = 11, []string{"half of it"}
			}
			return res, nil
		}
		files := []task.ChangedFile{{Path: "calc.go", Added: 20}}
		w.commit = func(activities.CommitInput) (activities.Committed, error) {
			return activities.Committed{Commit: "c", Created: true, Files: 1, Added: 20, ToRead: files, Routine: 4}, nil
		}
		s := w.start(t)
		if s.Plan.Lines != 11 || s.Plan.MaxLines != most || len(s.Plan.Split) != split || w.asked[0].Prompt.MaxLines != most {
			t.Errorf("plan %+v, told %d", s.Plan, w.asked[0].Prompt.MaxLines)
		}
		if sum := w.request(t).Summary; sum.MaxLines != most || sum.Routine != 4 || !slices.Equal(sum.ToRead, files) {
			t.Errorf("summary %+v", sum)
		}
	}
}

func TestRefusedCommitGoesBack(t *testing.T) {
	w := newWorld(t)
	tries := 0
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if tries++; tries == 1 {
			return activities.Committed{Commit: "base", Failed: "too large for a commit: big.bin (60 MB)", Refused: true}, nil
		}
		return activities.Committed{Commit: "c", Created: true, Files: 1, Notes: []string{"left out of the commit: node_modules"}}, nil
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "piiir" {
		t.Errorf("outcome %s, sessions %s", s.Outcome, w.roles())
	}
	if p := w.asked[2].Prompt; p.Fixing != 1 || !strings.Contains(p.Refused, "big.bin") || p.Deliverable.ID != "FIX-001" {
		t.Errorf("the second session was told %d, %q for %s", p.Fixing, p.Refused, p.Deliverable.ID)
	}
	if notes := w.request(t).Summary.Notes; !slices.Equal(notes, []string{"left out of the commit: node_modules"}) {
		t.Errorf("the pull request notes %q", notes)
	}
}

// Work that lies where no commit takes it, such as a stash, is not done. Its deliverable goes back, and is blocked when that doesn't help.
func TestWorkApartIsNotDone(t *testing.T) {
	const apart = "nothing is left to commit, and there is work where no commit takes it: a stash"
	for name, c := range map[string]struct {
		mended   int // session of an implementer that mends it; 0 for never
		sessions string
		outcome  task.Outcome
	}{
		"mended": {mended: 2, sessions: "piir", outcome: task.PullRequest}, "never": {sessions: "pii", outcome: task.AllBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.FixAttempts = 1
			w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
				if in.Role == task.Planner {
					res = well(in)
					res.Plan = aPlan("APP-001")
				}
				return res, nil
			}
			tries := 0
			w.commit = func(activities.CommitInput) (activities.Committed, error) {
				if tries++; tries == c.mended {
					return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
				}
				return activities.Committed{Commit: "base", Apart: apart}, nil
			}
			s := w.start(t)
			if s.Outcome != c.outcome || w.roles() != c.sessions {
				t.Errorf("outcome %s: %s; sessions %s", s.Outcome, s.Detail, w.roles())
			}
			if p := w.asked[2].Prompt; p.Fixing != 1 || !strings.HasPrefix(p.Refused, apart+"\nBring it into the work tree") {
				t.Errorf("the second session was told %d, %q", p.Fixing, p.Refused)
			}
			if d := s.Plan.Deliverables[0]; c.mended == 0 && (d.Status != task.Blocked || d.Reason != apart || !strings.Contains(s.Detail, apart)) {
				t.Errorf("%+v; %s", d, s.Detail)
			}
		})
	}
}

// A check that runs fewer tests than on the base says so wherever somebody relies on it: to the reviewer, in the log and in the pull request.
func TestFewerTestsRan(t *testing.T) {
	w := newWorld(t)
	w.check = func(n int) signals.Check {
		return signals.Check{Ran: &task.Ran{N: 3 - min(n, 2), Of: task.RanTests}}
	}
	s := w.start(t)
	sum := w.request(t).Summary
	if len(sum.Checks) != 1 || sum.Checks[0].Ran == nil || sum.Checks[0].Ran.N != 1 || sum.RanBefore == nil || sum.RanBefore.N != 2 {
		t.Errorf("the pull request says %+v, before %+v", sum.Checks, sum.RanBefore)
	}
	told := w.asked[len(w.asked)-1].Prompt.Result
	if told.Ran == nil || told.Ran.N != 1 || told.RanBefore == nil || told.RanBefore.N != 2 {
		t.Errorf("the reviewer is told %+v", told)
	}
	if first := w.asked[0].Prompt.Result; first.RanBefore != nil {
		t.Errorf("the planner is told %+v", first)
	}
	if !slices.ContainsFunc(s.Log, func(l signals.LogLine) bool { return strings.Contains(l.Text, ", 1 test") }) {
		t.Errorf("the log says %+v", s.Log)
	}
}
