package integration

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestQuotaIsCutShort resumes a task that waits for a quota which only the error's text tells of: a person knows better.
func TestQuotaIsCutShort(t *testing.T) {
	t.Parallel()
	minute := func(r *reset) time.Time { return r.time().Truncate(time.Minute) } // no text has seconds
	for _, c := range []struct {
		name  string
		fault func(at time.Time) agenttest.Fault
		send  func(t *testing.T, s *lab.Stage)
	}{
		{"limit text, update", func(at time.Time) agenttest.Fault {
			return agenttest.Fault{Status: 429, Body: "You've hit your limit · resets " + at.Format("3:04pm") + " (UTC)"}
		}, func(t *testing.T, s *lab.Stage) {
			if ack, err := s.Updated(signals.Resume, map[string]any{"note": "the quota was raised", "by": "ann"}); err != nil || ack.Text != "the task continues" {
				t.Errorf("resume: %+v, %v", ack, err)
			}
		}},
		{"workspace limit, signal", func(at time.Time) agenttest.Fault {
			return agenttest.Fault{Status: http.StatusBadRequest, Body: "You have reached your specified workspace API usage limits. You will regain access on " +
				at.Format("2006-01-02 at 15:04") + " UTC."}
		}, func(t *testing.T, s *lab.Stage) {
			if err := s.Client.SignalWorkflow(t.Context(), s.Begun.GetID(), "", signals.Resume, map[string]any{"note": "the quota was raised"}); err != nil {
				t.Errorf("resume: %v", err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := &reset{ahead: 3 * time.Minute}
			var resumed atomic.Bool
			script := lab.With(lab.Brief(), "fix", 2, func(turn *agenttest.Turn) {
				lab.FailWhile(turn, func() bool { return !r.over(time.Now()) && !resumed.Load() }, func() agenttest.Fault { return c.fault(minute(r)) })
			})
			s := lab.NewStage(t, script, lab.QuickSettings)
			s.Play()
			waitsUntil(t, s, s.Until("the task waits for its quota", waiting), minute(r))
			before := len(s.Heard("fix", 2))
			resumed.Store(true)
			at := time.Now()
			c.send(t, s)
			end := ended(t, s)
			s.Carried(end, lab.Messages[0])
			goneOn(t, s, end, before, at)
			if prompt := s.Heard("fix", 2)[before].Prompt; !strings.Contains(prompt, "the quota was raised") {
				t.Errorf("the session was not told the note: %q", prompt)
			}
		})
	}
}

// TestQuotaWithoutTime suspends a task whose account is out of money: only a person can tell when that is over.
func TestQuotaWithoutTime(t *testing.T) {
	t.Parallel()
	var paid atomic.Bool
	script := lab.With(lab.Brief(), "fix", 2, func(turn *agenttest.Turn) {
		lab.FailWhile(turn, func() bool { return !paid.Load() }, func() agenttest.Fault {
			return agenttest.Fault{Status: http.StatusBadRequest, Body: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}
		})
	})
	s := lab.NewStage(t, script, lab.QuickSettings)
	s.Play()
	st := s.Until("the task is suspended", waiting)
	s.Parked()
	if st.Phase != task.Suspended || st.Reason != signals.ReasonQuota || !st.NeedsHuman || !st.WaitingUntil.IsZero() ||
		!strings.Contains(st.Detail, "Credit balance is too low") || !strings.Contains(st.NextAction, "resume") {
		t.Errorf("status: phase %s, reason %s, until %s, detail %q, next action %q", st.Phase, st.Reason, st.WaitingUntil, st.Detail, st.NextAction)
	}
	before := len(s.Heard("fix", 2))
	paid.Store(true)
	at := time.Now()
	if _, err := s.Updated(signals.Resume, map[string]any{}); err != nil {
		t.Fatalf("resume: %v", err)
	}
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	goneOn(t, s, end, before, at)
}
