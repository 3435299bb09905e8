package opencode

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// TestFailures has the model endpoint fail in the ways that decide how the session goes on, as far as the binary does not try again for minutes.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		fault agenttest.Fault
		kind  agent.OutcomeKind
		err   fault.Kind
		text  string
	}{
		"key":         {fault: agenttest.Fault{Status: 401, Body: "Incorrect API key provided"}, kind: agent.AuthFailed, text: "upstream.example"},
		"budget":      {fault: agenttest.Fault{Status: 402, Body: "longshift_budget: this session has used its budget"}, kind: agent.Budget, text: "used its budget"},
		"bad request": {fault: agenttest.Fault{Status: 400, Body: "bad thing"}, kind: agent.Errored, text: "bad thing"},
		"model":       {fault: agenttest.Fault{Status: 404, Code: "model_not_found", Body: "The model m does not exist"}, kind: agent.Errored, err: fault.Input, text: "does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Never said.", Fault: &c.fault}))
			b.session.Upstream = "upstream.example"
			o, err := b.Run(t.Context(), b.session, func(agent.Event) {})
			if o.Kind != c.kind || fault.KindOf(err) != c.err || !strings.Contains(o.Text, c.text) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
		})
	}
}

// TestTooLong has a conversation that does not fit the model, and neither does its summary.
func TestTooLong(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Never said.",
		Fault: &agenttest.Fault{Status: 400, Code: "context_length_exceeded", Body: "too long"}}))
	if o, _ := b.run(t); o.Kind != agent.Looped || !strings.Contains(o.Text, "no longer fits") || len(b.model.Calls()) > 50 {
		t.Errorf("outcome %+v after %d calls", o, len(b.model.Calls()))
	}
}

// TestSpent ends a session whose quota is used up for long. The binary would wait for it with nothing to be seen.
func TestSpent(t *testing.T) {
	t.Parallel()
	later := time.Now().Add(3 * time.Hour)
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Never said.", Fault: &agenttest.Fault{Status: 429, Header: map[string]string{"retry-after": "10800"}}}))
	b.session.Spent = func() (time.Time, bool) { return later, len(b.model.Calls()) > 0 }
	if o, _ := b.run(t); o.Kind != agent.Quota || !o.Reset.Equal(later) {
		t.Errorf("outcome %+v", o)
	}
	d, s := stub(t, greeting+"cat > rest.txt\n")
	s.Spent = func() (time.Time, bool) { return time.Time{}, true }
	o, err := d.Run(t.Context(), s, func(agent.Event) {})
	if _, throttled := errors.AsType[*agent.Throttled](err); o.Kind != agent.Quota || !throttled {
		t.Errorf("a quota of which nothing is known: outcome %+v, %v", o, err)
	}
}

// TestOutage ends a session whose endpoint has failed every call for minutes: the binary would go on until its time is used up.
func TestOutage(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Never said.", Fault: &agenttest.Fault{Status: 503}}))
	b.session.Failing = func() (since time.Time) {
		if len(b.model.Calls()) > 0 {
			since = time.Now().Add(-2 * outage)
		}
		return since
	}
	if o, err := b.Run(t.Context(), b.session, func(agent.Event) {}); fault.KindOf(err) != fault.Infra || o.Kind != agent.Errored {
		t.Errorf("outcome %+v, %v", o, err)
	}
}

// TestRetries has the binary repeat a call that has failed for a moment: a short quota is no reason to end.
func TestRetries(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here.", Fault: &agenttest.Fault{Status: 429, Times: 1, Header: map[string]string{"retry-after": "2"}}}))
	b.session.Spent = func() (time.Time, bool) { return time.Now().Add(2 * time.Second), true }
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Here." {
		t.Errorf("outcome %+v", o)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for message, c := range map[string]struct {
		name  string
		kind  agent.OutcomeKind
		fault fault.Kind
	}{
		`{"error":{"code":"rate_limit_exceeded","message":"","type":"requests"}}`:          {"APIError", agent.Quota, ""},
		`You exceeded your current quota, please check your plan`:                          {"APIError", agent.Quota, ""},
		`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`:       {"APIError", agent.Quota, ""},
		`{"error":{"code":"invalid_api_key","message":"","type":"invalid_request_error"}}`: {"APIError", agent.AuthFailed, ""},
		`invalid x-api-key`: {"APIError", agent.AuthFailed, ""},
		`{"error":{"code":null,"message":"","param":null,"type":"server_error"}}`:           {"APIError", agent.Errored, fault.Infra},
		`Cannot connect to API: Unable to connect. Is the computer able to access the url?`: {"APIError", agent.Errored, fault.Infra},
		`The socket connection was closed unexpectedly.`:                                    {"UnknownError", agent.Errored, fault.Infra},
		`Overloaded`:                   {"APIError", agent.Errored, fault.Infra},
		`too long`:                     {"ContextOverflowError", agent.Errored, ""},
		`tools.0.name: bad`:            {"APIError", agent.Errored, ""},
		`messages.429.content.0: bad`:  {"APIError", agent.Errored, ""},
		`messages.401.content.0: bad`:  {"APIError", agent.Errored, ""},
		`messages.512.content.0: bad`:  {"APIError", agent.Errored, ""},
		`input[429].output: bad`:       {"APIError", agent.Errored, ""},
		`longshift_budget: it is used`: {"APIError", agent.Budget, ""},
	} {
		v := judge(jsonrpc.Error{Message: "Internal error: " + message, Data: []byte(`{"service":"session","errorName":"` + c.name + `"}`)})
		if v.Kind != c.kind || v.Fault != c.fault || v.Text == "" {
			t.Errorf("%s: %+v", message, v)
		}
	}
}
