package claude

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// quick makes the binary give up on the first refusal.
var quick = map[string]string{"X-Should-Retry": "false"}

func TestFailures(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	reset := time.Date(2026, 11, 20, 10, 10, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		fault   agenttest.Fault
		oauth   bool
		kind    agent.OutcomeKind
		reset   time.Time
		err     fault.Kind
		text    string
		retries int // at least
	}{
		{name: "429 with reset headers", oauth: true, kind: agent.Quota, reset: time.Unix(1795169432, 0).UTC(), text: "5-hour limit", fault: agenttest.Fault{
			Status: 429, Header: map[string]string{"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": "1795169432",
				"anthropic-ratelimit-unified-representative-claim": "five_hour"}}},
		{name: "429 with a reset in words", kind: agent.Quota, reset: reset,
			fault: agenttest.Fault{Status: 429, Header: quick, Body: "You've hit your 5-hour limit · resets 10:10am (UTC)"}},
		{name: "429 without a reset", kind: agent.Quota, err: fault.Infra, fault: agenttest.Fault{Status: 429, Body: "slow down"}, retries: 1},
		{name: "429 with a long wait", kind: agent.Quota, err: fault.Infra, fault: agenttest.Fault{Status: 429, Header: map[string]string{"retry-after": "90"}}},
		{name: "no credit", kind: agent.Quota, text: "Credit balance", fault: agenttest.Fault{Status: 400, Body: "Your credit balance is too low to access the Anthropic API."}},
		{name: "401", kind: agent.AuthFailed, fault: agenttest.Fault{Status: 401, Body: "invalid x-api-key"}, retries: 1},
		{name: "403", kind: agent.AuthFailed, fault: agenttest.Fault{Status: 403, Body: "no access"}},
		{name: "529 and then fine", kind: agent.Completed, fault: agenttest.Fault{Status: 529, Times: 1, Body: "Overloaded"}, retries: 1},
		{name: "529", kind: agent.Errored, err: fault.Infra, fault: agenttest.Fault{Status: 529, Header: quick, Body: "Overloaded"}},
		{name: "500", kind: agent.Errored, err: fault.Infra, fault: agenttest.Fault{Status: 500, Header: quick, Body: "oops"}},
		{name: "unknown model", kind: agent.Errored, err: fault.Input, fault: agenttest.Fault{Status: 404, Body: "model: x"}},
		{name: "prompt too long", kind: agent.Errored, text: "too long", fault: agenttest.Fault{Status: 400, Body: "prompt is too long: 220000 tokens > 200000 maximum"}},
		{name: "bad request", kind: agent.Errored, fault: agenttest.Fault{Status: 400, Body: "messages: no"}},
		{name: "budget", kind: agent.Budget, fault: agenttest.Fault{Status: 402, Type: "longshift_budget", Body: "the budget of $5.00 is used up"}},
		{name: "budget as a bad request", kind: agent.Budget, fault: agenttest.Fault{Status: 400, Type: "longshift_budget", Body: "used up"}},
		{name: "budget in the message of a 429", kind: agent.Budget, fault: agenttest.Fault{Status: 429, Header: quick, Body: "longshift_budget: used up"}},
		{name: "drop before", kind: agent.Completed, fault: agenttest.Fault{Drop: true, Times: 1}, retries: 1},
		{name: "drop in the middle", kind: agent.Completed, fault: agenttest.Fault{Drop: true, After: 4, Times: 1}, retries: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "fine", Fault: &c.fault}))
			b.cfg.Retries, b.cfg.Now = 1, func() time.Time { return now }
			if c.oauth {
				b.session.Login = true
			}
			var e agenttest.Events
			o, err := b.Run(t.Context(), b.session, e.Emit)
			if o.Kind != c.kind || fault.KindOf(err) != c.err || !o.Reset.Equal(c.reset) || !strings.Contains(o.Text, c.text) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			_, throttled := errors.AsType[*agent.Throttled](err)
			if throttled != (c.kind == agent.Quota && c.err != "") {
				t.Errorf("throttled %t: %v", throttled, err)
			}
			if n := len(e.Of(agent.Retry)); n < c.retries {
				t.Errorf("%d retries were told, wanted %d", n, c.retries)
			}
			if c.oauth && len(e.Of(agent.Limit)) != 1 {
				t.Errorf("limits: %+v", e.Of(agent.Limit))
			}
		})
	}
}

func TestEndpointDown(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "never heard"}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	b.cfg.Retries, b.session.BaseURL = 1, "http://"+l.Addr().String()
	o, err := b.Run(t.Context(), b.session, func(agent.Event) {})
	if fault.KindOf(err) != fault.Infra || o.Kind != agent.Errored {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

func TestModelStops(t *testing.T) {
	for stop, text := range map[string]string{"refusal": "", "max_tokens": ""} {
		t.Run(stop, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "I " + stop, Stop: stop}))
			o, err := b.Run(t.Context(), b.session, func(agent.Event) {})
			if err != nil || o.Kind != agent.Errored || !strings.Contains(o.Text, text) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
		})
	}
}

// TestWall lets the model be silent. The command that runs meanwhile must end as well.
func TestWall(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "hm", Fault: &agenttest.Fault{Hang: true}}))
	b.session.Wall = 2 * time.Second
	o, _ := b.run(t)
	if o.Kind != agent.Turns || !strings.Contains(o.Text, "2s") {
		t.Errorf("outcome: %+v", o)
	}
	if left := agenttest.Processes(t, b.session.ID); left != nil {
		t.Errorf("processes are left: %v", left)
	}
}

// TestCancel stops a session in a command that has left the process group and ignores TERM.
func TestCancel(t *testing.T) {
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		return one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{
			bash(`setsid bash -c 'trap "" TERM; echo up > ready.fifo; while :; do read -t 1 x < /dev/zero; done' & wait`),
		}})(dir)
	})
	b.cfg.Grace = time.Second
	ready := agenttest.Pipe(t, b.session.Dir, "ready.fifo")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-ready
		cancel()
	}()
	o, err := b.Run(ctx, b.session, func(agent.Event) {})
	if err != nil || o.Kind != agent.Interrupted {
		t.Errorf("outcome %+v, error %v", o, err)
	}
	if left := agenttest.Processes(t, b.session.ID); left != nil {
		t.Errorf("processes are left: %v", left)
	}
}

// The binary knows the endpoint as an address on the loopback. Messages for people name the host that it leads to.
func TestErrorsNameTheEndpoint(t *testing.T) {
	for status, want := range map[int]agent.OutcomeKind{502: agent.Errored, 401: agent.AuthFailed, 404: agent.Errored} {
		b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Fault: &agenttest.Fault{Status: status, Header: quick, Body: "no"}}))
		b.cfg.Retries, b.session.Upstream = 1, "gw.example.com"
		o, err := b.Run(t.Context(), b.session, func(agent.Event) {})
		said := o.Text
		if err != nil {
			said += err.Error()
		}
		if o.Kind != want || !strings.Contains(o.Text, "gw.example.com") || strings.Contains(said, "127.0.0.1") {
			t.Errorf("%d: outcome %+v, error %v", status, o, err)
		}
	}
}
