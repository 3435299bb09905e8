package integration

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// latest is how long after its reset a quota may lie idle, and how long after a resume, until the task goes on. The agent has to start
// then, which takes a slow machine longer; started is far below what a wait that was not cut short has left.
const latest, started = 5 * time.Second, 45 * time.Second

// reset is when the quota of a test comes back. It is set by the first call that is refused, so that it lies as far ahead
// as the test wants, however long the machine took to come so far.
type reset struct {
	ahead time.Duration
	at    atomic.Int64 // Unix milliseconds, 0 before the first refusal
}

// over tells whether the quota is back, and starts its time at the first call.
func (r *reset) over(now time.Time) bool {
	// Whole seconds: that is what the headers carry.
	r.at.CompareAndSwap(0, now.Add(r.ahead).Truncate(time.Second).Add(time.Second).UnixMilli())
	return !now.Before(r.time())
}

func (r *reset) time() time.Time { return time.UnixMilli(r.at.Load()).UTC() }

// refusals gives the story in whose implementing session the quota ends before the last turn, until r is over.
func refusals(r *reset, f func() agenttest.Fault) agenttest.Script {
	return lab.With(lab.Brief(), "fix", 2, func(t *agenttest.Turn) {
		lab.FailWhile(t, func() bool { return !r.over(time.Now()) }, f)
	})
}

func unified(r *reset) map[string]string {
	return map[string]string{
		"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-representative-claim": "five_hour",
		"anthropic-ratelimit-unified-reset": fmt.Sprint(r.time().Unix()),
	}
}

// TestQuotaComesBack lets the quota end in the middle of a session, with a reset time in each of the forms that an API has for
// it. The task waits for it without a process and without an activity, and goes on with the same session when it is back.
func TestQuotaComesBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ahead time.Duration
		fault func(r *reset) agenttest.Fault
		env   []string
		login bool
	}{
		{name: "key, headers of the account", ahead: 30 * time.Second, fault: func(r *reset) agenttest.Fault {
			return agenttest.Fault{Status: 429, Header: unified(r), Body: "This request would exceed your account's rate limit. Please try again later."}
		}},
		{name: "key, headers of the minute", ahead: 15 * time.Second, fault: func(r *reset) agenttest.Fault { // known only after some tries
			return agenttest.Fault{Status: 429, Header: map[string]string{"anthropic-ratelimit-tokens-reset": r.time().Format(time.RFC3339)},
				Body: "This request would exceed your organization's rate limit."}
		}},
		{name: "login", ahead: 12 * time.Second, login: true, env: []string{"LONGSHIFT_ANTHROPIC_KEY=", "LONGSHIFT_CLAUDE_TOKEN=" + lab.Key},
			fault: func(r *reset) agenttest.Fault {
				return agenttest.Fault{Status: 429, Header: unified(r), Body: "This request would exceed your account's rate limit. Please try again later."}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // they wait for most of their time
			r := &reset{ahead: c.ahead}
			s := lab.NewStage(t, refusals(r, func() agenttest.Fault { return c.fault(r) }), lab.QuickSettings, c.env...)
			s.Play()
			wait := s.Until("the task waits for its quota", waiting)
			waitsUntil(t, s, wait, r.time())
			before := len(s.Heard("fix", 2))

			end := ended(t, s)
			s.Carried(end, lab.Messages[0])
			goneOn(t, s, end, before, r.time())
			for _, call := range s.Model.Calls() {
				shownAs(t, call, c.login)
			}
		})
	}
}

// ended waits for the end of a short story.
func ended(t *testing.T, s *lab.Stage) signals.Status {
	t.Helper()
	return s.End(t, s.Begun, 90*time.Second)
}

func waiting(st signals.Status) bool { return st.Phase == task.Waiting || st.Phase == task.Suspended }

// waitsUntil checks how a task stands that waits for a quota whose return is known.
func waitsUntil(t *testing.T, s *lab.Stage, st signals.Status, at time.Time) {
	t.Helper()
	s.Parked()
	if st.Phase != task.Waiting || st.Reason != signals.ReasonQuota || st.NeedsHuman {
		t.Errorf("phase %s, reason %s, needs a person: %v; %s", st.Phase, st.Reason, st.NeedsHuman, st.Detail)
	}
	// Tasks that wait for the same account go on within two seconds of each other.
	if late := st.WaitingUntil.Sub(at); late < 0 || late > 2*time.Second {
		t.Errorf("it waits until %s, the quota comes back at %s", st.WaitingUntil, at)
	}
	if listed, _ := s.Listed(t, signals.AttrWaitingUntil).(string); listed != st.WaitingUntil.Format(time.RFC3339Nano) {
		t.Errorf("the list says %v, the task %s", listed, st.WaitingUntil)
	}
}

// goneOn checks that the session which was cut short is the one that was gone on with, not before its time and soon after it.
func goneOn(t *testing.T, s *lab.Stage, end signals.Status, before int, at time.Time) {
	t.Helper()
	calls := s.Heard("fix", 2)
	if len(calls) <= before {
		t.Fatalf("%d calls for the last turn, %d of them before the wait", len(calls), before)
	}
	if late := calls[before].Time.Sub(at); late < 0 || late > started {
		t.Errorf("its first call came %s after its time", late)
	}
	var on time.Time
	for _, l := range end.Log {
		if l.Kind == "resumed" {
			on = l.Time
		}
	}
	if late := on.Sub(at); late < 0 || late > latest {
		t.Errorf("it went on %s after its time%s", late, lab.Log(end))
	}
	for _, c := range s.Model.Calls() {
		if c.Rule == "fix" && c.Session != calls[0].Session {
			t.Errorf("session %s was gone on with as %s", calls[0].Session, c.Session)
		}
	}
	if n := s.WholeTurns(); n["fix/0"] != 1 || n["fix/1"] != 1 || n["fix/2"] != 1 {
		t.Errorf("answers by turn: %v, each is said once", n)
	}
	if len(end.Sessions) != 3 || end.Sessions[1].ID != calls[0].Session || end.Sessions[1].Resumed != 1 {
		t.Errorf("sessions %+v", end.Sessions)
	}
}

// shownAs checks what a model call is shown to be ours by: a login needs its own headers, and a key is none of them.
func shownAs(t *testing.T, c agenttest.Call, login bool) {
	t.Helper()
	key, bearer, beta := c.Header.Get("X-Api-Key"), c.Header.Get("Authorization"), strings.Join(c.Header.Values("Anthropic-Beta"), ",")
	if login && (key != "" || bearer != "Bearer "+lab.Key || !strings.Contains(beta, "oauth-")) {
		t.Errorf("a login was shown with key %q, authorization of %d bytes, beta %q", key, len(bearer), beta)
	}
	if !login && (key != lab.Key || bearer != "" || strings.Contains(beta, "oauth-")) {
		t.Errorf("a key was shown with %d bytes, authorization of %d bytes, beta %q", len(key), len(bearer), beta)
	}
}
