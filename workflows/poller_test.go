package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
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
