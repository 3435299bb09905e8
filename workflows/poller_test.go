package workflows_test

import (
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
	"github.com/longshift/longshift/workflows"
)

// A merge that nobody has told of is seen before the push: what a merged branch gets reaches nobody.
func TestMergedBetweenPolls(t *testing.T) {
	w := newWorld(t)
	w.settings.PullRequest.Poll = task.Duration(6 * time.Hour)
	waited := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if waited {
			return well(in), nil
		}
		waited = true
		return activities.SessionResult{Kind: agent.Quota, Error: "used up", Reset: w.env.Now().Add(time.Hour)}, nil
	}
	s := w.lookAfter(t, until(30*time.Minute, open(thread(1, "x")), merged()))
	if s.Outcome != task.PullMerged || w.roles() != "iir" || w.pushes != 0 || len(w.replies) != 0 || len(w.looks) != 2 || w.looks[1].Stamp != "s" {
		t.Errorf("outcome %s, sessions %s, %d pushes, %d answers, polls %+v", s.Outcome, w.roles(), w.pushes, len(w.replies), w.looks)
	}
	if n := strings.Count(logText(s), "pull_request: merged by ada"); n != 1 {
		t.Errorf("the end is logged %d times:\n%s", n, logText(s))
	}
}

// What a snapshot could not see is a warning of the status, once, for as long as that is so.
func TestWarnings(t *testing.T) {
	w := newWorld(t)
	const lacks = "checks can't be read"
	var first, later signals.Status
	w.env.RegisterDelayedCallback(func() { first = w.status(t) }, 4*time.Hour)
	w.env.RegisterDelayedCallback(func() { later = w.status(t) }, 8*time.Hour)
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := open()
		switch {
		case at > 9*time.Hour:
			return merged()
		case at < 5*time.Hour:
			l.Warnings = []string{lacks}
		}
		return l
	})
	if !slices.Equal(first.Warnings, []string{lacks}) || len(later.Warnings) != 0 {
		t.Errorf("warnings %q, and %q once the permission is there", first.Warnings, later.Warnings)
	}
}

// suspendedRound has the first implementer of a round ask for a person. The pull request is read by look from then on.
func (w *world) suspendedRound() {
	first := true
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && first {
			first = false
			return activities.SessionResult{Kind: agent.AuthFailed, Error: "the key is refused"}, nil
		}
		return well(in), nil
	}
}

// A round that waits for a person keeps its history short: it is not read at each push to its base, for weeks. Who asks for it now is heard.
func TestRoundThatWaitsForWeeksIsReadRarely(t *testing.T) {
	w := newWorld(t)
	w.suspendedRound()
	w.env.RegisterDelayedCallback(func() { w.env.SetContinueAsNewSuggested(true) }, time.Hour)
	const days = 20
	for n := range days * 24 {
		w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Changed, signals.ChangedRequest{}) }, time.Duration(n)*time.Hour)
	}
	read, now := 0, 0
	w.env.RegisterDelayedCallback(func() {
		read = len(w.looks)
		w.env.SignalWorkflow(signals.Changed, signals.ChangedRequest{Now: true})
	}, days*24*time.Hour-30*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		now = len(w.looks)
		w.env.SignalWorkflow(signals.Resume, nil)
	}, days*24*time.Hour)
	w.look = func(int) (forge.Snapshot, error) { return open(thread(1, "x")), nil }
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, w.handover())
	next := handed[signals.PullRequestInput](t, w)
	if read < days || read > days+15 || now != read+1 || w.pushes != 1 || next.State.Pushed == "" {
		t.Errorf("read %d times in %d days, and %d when asked; %d pushes; the next run goes on with %+v", read, days, now-read, w.pushes, next.State)
	}
}

// A pull request that can't be read during a round does not take the place of what the round waits for.
func TestUnreadableDuringARound(t *testing.T) {
	w := newWorld(t)
	w.suspendedRound()
	var s signals.Status
	w.env.RegisterDelayedCallback(func() {
		s = w.status(t)
		w.update(signals.Resume, signals.ResumeRequest{})
	}, 12*time.Hour)
	start := w.env.Now()
	in := w.handover()
	w.look = func(n int) (forge.Snapshot, error) {
		switch at := w.env.Now().Sub(start); {
		case n == 1:
			return open(thread(1, "x")), nil
		case at < 13*time.Hour && len(w.asked) < 2:
			return forge.Snapshot{}, temporal.NewNonRetryableApplicationError("no access", string(fault.Denied), nil)
		}
		return merged(), nil
	}
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, in)
	if s.Reason != signals.ReasonAccess || !strings.Contains(s.Detail, "the key is refused") || len(w.looks) < 5 {
		t.Errorf("after %d looks the round waits for %q: %s", len(w.looks), s.Reason, s.Detail)
	}
}
