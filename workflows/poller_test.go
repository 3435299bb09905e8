package workflows_test

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
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
