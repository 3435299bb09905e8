package workflows_test

import (
	"encoding/json"
	"errors"
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

// play answers the sessions one after the other, and lets those beyond the list go well.
func (w *world) play(results ...activities.SessionResult) {
	n := 0
	w.agent = func(activities.SessionInput) (activities.SessionResult, error) {
		if n++; n > len(results) {
			return activities.SessionResult{}, nil
		}
		return results[n-1], nil
	}
}

// Three errors in a row, two loops in a row and a quota that is used up again at once are too many. A session that goes well begins the
// count anew.
func TestSuccessResetsWhatIsCounted(t *testing.T) {
	errored := activities.SessionResult{Kind: agent.Errored, Error: "the model is tired"}
	looped := activities.SessionResult{Kind: agent.Looped, Error: "it ran `ls` five times"}
	var good activities.SessionResult // the default answer
	for name, c := range map[string]struct {
		results  []activities.SessionResult
		sessions int // four of them go well: plan, two deliverables, review
	}{
		"errors": {[]activities.SessionResult{errored, errored, errored, good, errored, errored, errored, good, errored, errored, errored}, 9 + 4},
		"loops":  {[]activities.SessionResult{looped, good, looped, good, looped}, 3 + 4},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.play(c.results...)
			w.env.RegisterDelayedCallback(func() {
				if s := w.status(t); s.NeedsHuman {
					t.Errorf("a person is asked after a success in between: %s, %s", s.Reason, s.Detail)
					w.env.CancelWorkflow()
				}
			}, 90*time.Minute)
			if s := w.start(t); s.Outcome != task.PullRequest || len(w.asked) != c.sessions {
				t.Errorf("outcome %s after %d sessions", s.Outcome, len(w.asked))
			}
		})
	}
}

// A quota that is used up again after a success is waited for as the first one was.
func TestSuccessResetsTheWaitForQuota(t *testing.T) {
	w := newWorld(t)
	n := 0
	w.agent = func(activities.SessionInput) (activities.SessionResult, error) {
		if n++; n%2 == 1 && n < 8 {
			return activities.SessionResult{Kind: agent.Quota, Reset: w.env.Now().Add(-time.Hour), Error: "used up"}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.settings.Approval.Mode = "none"
	began := w.env.Now()
	s := w.start(t)
	if took := w.env.Now().Sub(began); s.Outcome != task.PullRequest || n != 8 || took < 4*time.Minute || took > 5*time.Minute {
		t.Errorf("outcome %s; four quotas with a success after each were waited out in %s, want a minute for each", s.Outcome, took)
	}
}

// A time that is years away is not believed for long: the session is asked again.
func TestQuotaThatComesBackTooLate(t *testing.T) {
	w := newWorld(t)
	n := 0
	w.agent = func(activities.SessionInput) (activities.SessionResult, error) {
		if n++; n == 1 {
			return activities.SessionResult{Kind: agent.Quota, Reset: w.env.Now().AddDate(30, 0, 0), Error: "used up"}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.settings.Approval.Mode = "none"
	began := w.env.Now()
	s := w.start(t)
	if took := w.env.Now().Sub(began); s.Outcome != task.PullRequest || took < 8*24*time.Hour || took > 9*24*time.Hour {
		t.Errorf("outcome %s after %s", s.Outcome, took)
	}
}

// A quota that ends the task is the account's: no server is out of reach, and trying again at once would not help.
func TestQuotaThatEndsTheTask(t *testing.T) {
	w := newWorld(t)
	w.settings.Quota = "end"
	w.play(activities.SessionResult{Kind: agent.Quota, Error: "used up"})
	w.env.ExecuteWorkflow(workflows.CodingTask, json.RawMessage(`{"repository":"acme/calc","task":"x"}`))
	var app *temporal.ApplicationError
	if err := w.env.GetWorkflowError(); !errors.As(err, &app) || fault.Kind(app.Type()).ExitCode() != fault.ExitFailed ||
		app.Message() != "failed: the account's quota is used up: used up" {
		t.Errorf("it ended with %v", err)
	}
}

// A used-up quota that ends tasks makes a round wait for a person, so that what its earlier sessions have committed is not thrown away.
func TestQuotaKeepsTheWorkOfARound(t *testing.T) {
	w := newWorld(t)
	w.settings.Quota = "end"
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if len(w.asked) == 3 {
			return activities.SessionResult{Kind: agent.Quota, Error: "used up"}, nil
		}
		return well(in), nil
	}
	var asked signals.Status
	w.env.RegisterDelayedCallback(func() {
		if asked = w.status(t); asked.Reason != signals.ReasonQuota || w.cleaned != 0 {
			t.Errorf("asked for %s: %s, %d workspaces removed", asked.Reason, asked.Detail, w.cleaned)
		}
		w.update(signals.Resume, nil)
	}, 4*time.Hour)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 9*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		return open(thread(11, "x"), thread(12, "y"), thread(13, "z"))
	})
	if w.roles() != "iiiir" || w.takes != 1 || w.pushes != 1 || len(w.replies) != 1 || len(w.replies[0].Replies) != 3 {
		t.Errorf("sessions %s on %d hosts, %d pushes, answers %+v\n%s", w.roles(), w.takes, w.pushes, w.replies, logText(s))
	}
}
