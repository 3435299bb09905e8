package workflows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// shows is what the check runs say, in order: number, commit, conclusion.
func (w *world) shows() string {
	var all []string
	for _, r := range w.runs {
		c := r.Standing.CheckRun(r.Commit, "")
		if c.Conclusion == "" {
			c.Conclusion = "working"
		}
		all = append(all, fmt.Sprintf("%d %s %s", r.N, r.Commit, c.Conclusion))
	}
	return strings.Join(all, ", ")
}

func withRuns(in *signals.PullRequestInput) { in.CheckRuns = 1 }

// The task's check run says what the work came to and how, and the follower goes on with its number.
func TestCheckRunOfATask(t *testing.T) {
	for name, c := range map[string]struct {
		red  bool
		want string
	}{"good": {false, "1 pushed success"}, "red": {true, "1 pushed failure"}} {
		w := newWorld(t)
		w.takesRuns = true
		if c.red {
			w.check = func(int) signals.Check { return signals.Check{ExitCode: 1} }
		}
		w.start(t)
		if got := w.shows(); got != c.want {
			t.Fatalf("%s: %s", name, got)
		}
		s := w.runs[0].Standing
		if len(s.Summary.Checks) != 1 || s.Summary.Review == nil || len(s.Summary.Deliverables) != 2 ||
			!slices.ContainsFunc(s.Log, func(e task.Entry) bool { return e.Kind == "pull_request" && !e.Time.IsZero() }) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Without check runs nothing is tried, and one that can't be written fails nothing.
func TestCheckRunIsACourtesy(t *testing.T) {
	w := newWorld(t)
	if s := w.start(t); s.Outcome != task.PullRequest || len(w.runs) != 0 {
		t.Errorf("%s, %s", s.Outcome, w.shows())
	}
	w = newWorld(t)
	w.takesRuns = true
	w.runFails = func() error {
		return temporal.NewNonRetryableApplicationError("not allowed", string(fault.Denied), nil)
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || len(w.runs) != 1 || len(s.Warnings) != 1 ||
		!strings.Contains(s.Warnings[0], "the check run could not be written") {
		t.Errorf("%s, %s, %q", s.Outcome, w.shows(), s.Warnings)
	}
}

// A task that is abandoned while its last step runs ends as the person was told: nothing is removed, and nobody follows its pull request.
func TestAbandonedWhileTheCheckRunIsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		after int // tries: the activity has five
		red   bool
	}{
		"sound":                    {},
		"red":                      {red: true},
		"while it is made up for":  {after: 5},
		"red, and made up for too": {after: 5, red: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.takesRuns = true
			if c.red {
				w.check = from(2, fails("pkg.TestA"))
			}
			w.runFails = func() error {
				if len(w.runs) > c.after {
					w.env.SignalWorkflow(signals.Abandon, signals.AbandonRequest{Reason: "not wanted"})
				}
				return temporal.NewApplicationError("busy", string(fault.Infra))
			}
			if s := w.start(t); s.Outcome != task.Abandoned || !strings.Contains(s.Detail, "not wanted") || s.PullRequest == nil || w.cleaned != 0 {
				t.Errorf("%s %q, pull request %v, %d workspaces removed", s.Outcome, s.Detail, s.PullRequest, w.cleaned)
			}
		})
	}
}

// A round is in progress on the head that it begins with, and its result on what it pushes.
func TestCheckRunsOfARound(t *testing.T) {
	w := newWorld(t)
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 9*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		return open(failing("test", "sign1"))
	}, withRuns)
	if got := w.shows(); got != "2 head1 working, 2 head1 neutral, 2 pushed success" {
		t.Error(got)
	}
	if d := w.runs[0].Standing.Detail; !strings.Contains(d, `Round 1: the check "test" failed`) {
		t.Error(d)
	}
}

// A head that somebody else has pushed gets one check run, so that branch protection does not wait for it: also while a person is asked.
func TestCheckRunOfSomebodyElsesHead(t *testing.T) {
	for name, c := range map[string]struct {
		rounds int
		want   string
	}{
		"nothing to do":     {5, "2 updated neutral, 3 updated again neutral"},
		"a person is asked": {0, "2 updated action_required, 3 updated again action_required, 4 updated again neutral"},
	} {
		w := newWorld(t)
		w.settings.PullRequest.Rounds = c.rounds
		w.lookAfter(t, func(at time.Duration) forge.Snapshot {
			l := open()
			l.Stamp, l.Head = at.String(), "updated" // something else has changed each time
			if at > 4*time.Hour {
				l.Head = "updated again"
			}
			switch {
			case at > 9*time.Hour:
				return merged()
			case c.rounds == 0:
				l.Items = []forge.Item{thread(1, "x")}
			}
			return l
		}, withRuns)
		if got := w.shows(); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A check run that could not be completed while the forge was away is completed when it is back; what the forge refuses stays refused.
func TestCheckRunIsCompletedAfterAnOutage(t *testing.T) {
	const done = "2 head1 working, 2 head1 neutral, 2 pushed success"
	for name, c := range map[string]struct {
		kind  fault.Kind
		until int // the last write that fails
		want  string
	}{
		"away":                  {fault.Infra, 3, done + ", 2 pushed success"},
		"away until it is over": {fault.Infra, 4, done + ", 2 pushed success, 2 pushed success"},
		"not allowed":           {fault.Denied, 9, done},
	} {
		w := newWorld(t)
		w.runFails = func() error {
			if n := len(w.runs); n > 2 && n <= c.until {
				return temporal.NewNonRetryableApplicationError("away", string(c.kind), nil)
			}
			return nil
		}
		w.lookAfter(t, func(at time.Duration) forge.Snapshot {
			switch {
			case at > 9*time.Hour:
				return merged()
			case len(w.replies) > 0:
				return open()
			}
			return open(failing("test", "sign1"))
		}, withRuns)
		if got := w.shows(); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A check run that could not be completed is left when a newer one stands on its commit: people see the newest.
func TestCheckRunIsNotCompletedBehindANewerOne(t *testing.T) {
	w := newWorld(t)
	w.runFails = func() error {
		if n := len(w.runs); n == 3 || n == 4 {
			return temporal.NewNonRetryableApplicationError("away", string(fault.Infra), nil)
		}
		return nil
	}
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := open(failing("test", fmt.Sprint("sign", w.pushes)))
		switch {
		case at > 9*time.Hour:
			l = merged()
		case w.pushes == 1:
			l.Head = "pushed"
		case w.pushes > 1:
			l = open()
			l.Head = "pushed"
		}
		return l
	}, withRuns)
	if got := w.shows(); got != "2 head1 working, 2 head1 neutral, 2 pushed success, 2 pushed success, 3 pushed working, 3 pushed success" {
		t.Error(got)
	}
}

// A round that changes nothing completes what it has begun. Then a person is asked, which is shown once, and taken back when the cause goes
// away.
func TestCheckRunAsksAPerson(t *testing.T) {
	w := newWorld(t)
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		return activities.Committed{Commit: "base"}, nil
	}
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 24*time.Hour:
			return merged()
		case at > 10*time.Hour: // a person has mended it
			l := open()
			l.Head = "fixed"
			return l
		}
		return open(failing("test", "sign1"))
	}, withRuns)
	if got := w.shows(); got != "2 head1 working, 2 head1 neutral, 3 head1 action_required, 4 fixed neutral" {
		t.Error(got)
	}
	if s := w.runs[2].Standing; !strings.Contains(s.Next, "resume") || !strings.Contains(s.Detail, "in the same way") {
		t.Errorf("%+v", s)
	}
}

// A pull request that is merged while a person is asked does not go on asking.
func TestCheckRunAsksNobodyAfterTheEnd(t *testing.T) {
	w := newWorld(t)
	w.settings.PullRequest.Rounds = 0
	end := merged()
	end.Head = "head1"
	w.lookAfter(t, until(5*time.Hour, open(thread(1, "x")), end), withRuns)
	if got := w.shows(); got != "2 head1 action_required, 3 head1 neutral" {
		t.Error(got)
	}
}

// A stop within a round is shown, and so is that it goes on. A merge in the middle leaves nothing in progress.
func TestCheckRunOfAStop(t *testing.T) {
	w := newWorld(t)
	w.settings.PullRequest.Poll = task.Duration(10 * time.Minute)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role != task.Implementer {
			return activities.SessionResult{}, nil
		}
		res := well(in)
		res.Report = task.Report{Kind: task.ReportSpecIssue, Text: "which of the two?"}
		return res, nil
	}
	w.env.RegisterDelayedCallback(func() { w.update(signals.Resume, signals.ResumeRequest{Note: "the first"}) }, 2*time.Hour)
	w.lookAfter(t, until(5*time.Hour, open(thread(1, "x")), merged()), withRuns)
	if got := w.shows(); got != "2 head1 working, 2 head1 action_required, 3 head1 working, 3 head1 action_required, 4 head1 neutral" {
		t.Error(got)
	}
	w = newWorld(t)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		return activities.SessionResult{Kind: agent.Quota, Error: "the week is used up", Reset: w.env.Now().Add(24 * time.Hour)}, nil
	}
	w.lookAfter(t, until(5*time.Hour, open(thread(1, "x")), merged()), withRuns)
	if got := w.shows(); got != "2 head1 working, 2 head1 neutral" {
		t.Error("merged in the middle: " + got)
	}
}
