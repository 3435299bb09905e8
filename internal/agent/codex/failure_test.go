package codex

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// TestFailures has the model endpoint fail in the ways that decide how the session goes on.
func TestFailures(t *testing.T) {
	const reset = 1995700000
	used := map[string]string{"x-codex-primary-used-percent": "12", "x-codex-primary-window-minutes": "300", "x-codex-primary-reset-at": "1995600000",
		"x-codex-secondary-used-percent": "100", "x-codex-secondary-window-minutes": "10080", "x-codex-secondary-reset-at": "1995700000"}
	for name, c := range map[string]struct {
		fault agenttest.Fault
		kind  agent.OutcomeKind
		err   fault.Kind
		reset int64
		text  string
	}{
		"quota with a reset": {fault: agenttest.Fault{Status: 429, Type: "usage_limit_reached", Body: `{"error":{"type":"usage_limit_reached","message":"limit"}}`, Header: used},
			kind: agent.Quota, reset: reset, text: "usage limit"},
		"quota with a reset in words": {fault: agenttest.Fault{Status: 429, Body: `{"error":{"type":"usage_limit_reached","message":"limit","resets_at":1995700000}}`},
			kind: agent.Quota, reset: reset - reset%60, text: "usage limit"},
		"no money":          {fault: agenttest.Fault{Status: 429, Type: "insufficient_quota", Code: "insufficient_quota", Body: "no money"}, kind: agent.Quota, text: "Quota exceeded"},
		"too fast":          {fault: agenttest.Fault{Status: 429, Body: "slow down"}, kind: agent.Quota, err: fault.Infra, text: "429"},
		"key":               {fault: agenttest.Fault{Status: 401, Body: "bad key"}, kind: agent.AuthFailed, text: "bad key"},
		"forbidden":         {fault: agenttest.Fault{Status: 403, Body: "not yours"}, kind: agent.AuthFailed, text: "not yours"},
		"budget":            {fault: agenttest.Fault{Status: 402, Body: "longshift_budget: this session has used its budget"}, kind: agent.Budget, text: "used its budget"},
		"too long":          {fault: agenttest.Fault{Status: 400, Code: "context_length_exceeded", Body: "long"}, kind: agent.Errored, text: "context window"},
		"bad request":       {fault: agenttest.Fault{Status: 400, Body: "bad thing"}, kind: agent.Errored, text: "bad thing"},
		"model":             {fault: agenttest.Fault{Status: 404, Code: "model_not_found", Body: "no such model"}, kind: agent.Errored, err: fault.Input, text: "no such model"},
		"down":              {fault: agenttest.Fault{Status: 500, Body: "oops"}, kind: agent.Errored, err: fault.Infra, text: "upstream.example"},
		"overloaded":        {fault: agenttest.Fault{Status: 503, Code: "server_is_overloaded", Body: "oops"}, kind: agent.Errored, err: fault.Infra},
		"cut":               {fault: agenttest.Fault{Drop: true}, kind: agent.Errored, err: fault.Infra},
		"cut in the middle": {fault: agenttest.Fault{Drop: true, After: 3}, kind: agent.Errored, err: fault.Infra},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Never said.", Fault: &c.fault}))
			b.session.Upstream = "upstream.example"
			o, err := b.Run(t.Context(), b.session, func(agent.Event) {})
			var want time.Time
			if c.reset != 0 {
				want = time.Unix(c.reset, 0)
			}
			if o.Kind != c.kind || fault.KindOf(err) != c.err || !o.Reset.Equal(want) || !strings.Contains(o.Text, c.text) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
		})
	}
}

// TestRetries repeats a call that has failed for a moment, and says so.
func TestRetries(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here.", Fault: &agenttest.Fault{Drop: true, After: 3, Times: 1}}))
	b.cfg.Retries = 2
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "Here." || len(e.Of(agent.Retry)) != 1 {
		t.Errorf("outcome %+v, retries %+v", o, e.Of(agent.Retry))
	}
}

// TestNobodyListens has no model endpoint at all.
func TestNobodyListens(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Never said."}))
	b.model.Close()
	o, err := b.Run(t.Context(), b.session, func(agent.Event) {})
	if o.Kind != agent.Errored || fault.KindOf(err) != fault.Infra || fault.HintOf(err) != "" {
		t.Errorf("outcome %+v, error %v", o, err)
	}
	if left := agenttest.Processes(t, b.session.ID); left != nil {
		t.Errorf("processes are left: %v", left)
	}
}

// TestUsage counts what was read from and written to the cache apart.
func TestUsage(t *testing.T) {
	want := task.Usage{Input: 700, Output: 30, CacheRead: 200, CacheWrite: 100}
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here.", Usage: want}))
	want.Calls = 1
	if o, _ := b.run(t); o.Usage != want {
		t.Errorf("usage: %+v", o.Usage)
	}
}

func TestResetTime(t *testing.T) {
	now := time.Date(2026, 11, 25, 10, 34, 20, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"try again at Nov 26th, 2026 1:33 PM.":    time.Date(2026, 11, 26, 13, 33, 0, 0, time.UTC),
		"or try again at Dec 1st, 2026 12:05 AM.": time.Date(2026, 12, 1, 0, 5, 0, 0, time.UTC),
		"try again at 1:33 PM.":                   time.Date(2026, 11, 25, 13, 33, 0, 0, time.UTC),
		"try again at 9:00 AM.":                   time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC),
		"try again at 10:34 AM.":                  now.Add(time.Minute),
		"try again later.":                        {},
		"try again at Foo 26th, 2026 1:33 PM.":    {},
	} {
		if got := resetTime(text, now); !got.Equal(want) {
			t.Errorf("%s gives %s", text, got)
		}
	}
}
