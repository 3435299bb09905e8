package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func start() *transcript.Start {
	return &transcript.Start{Model: "sonnet", System: "Role: implementer\n\nDo it.", Prompt: "Fix the sum.", Thinking: 8192,
		Images: []transcript.Image{{Type: "image/png", Data: []byte("png")}},
		Tools:  []transcript.Tool{{Name: "read_file", Text: "Read.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}}
}

func model(t *testing.T, turns ...agenttest.Turn) (*agenttest.Server, agent.Endpoint) {
	t.Helper()
	s := agenttest.NewServer(t, agenttest.Script{Key: "token", KeepBodies: true, Rules: []agenttest.Rule{{Name: "r", Role: task.Implementer, Turns: turns}}})
	return s, agent.Endpoint{BaseURL: s.URL, Token: "token"}
}

func reads(path string) agenttest.Turn {
	return agenttest.Turn{Text: "I read.", Thinking: "hm", Tools: []agenttest.Tool{{Name: "read_file", Input: map[string]any{"path": path}}}}
}

// TestConversation asks twice. What was sent first is sent again unchanged, with the answer as it came.
func TestConversation(t *testing.T) {
	t.Parallel()
	s, e := model(t, reads("a.go"), reads("b.go"))
	m := &Model{}
	q := transcript.Query{Session: "11111111-2222-4333-8444-555555555555", Start: start(), MaxOutput: 32_000, Context: 200_000}
	first, err := m.Answer(t.Context(), e, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Calls) != 1 || first.Calls[0].Tool != "read_file" || string(first.Calls[0].Arguments) != `{"path":"a.go"}` || first.Text != "I read." || first.Stop != "tool_use" ||
		first.Usage.Input != 100 || first.Usage.Output != 50 {
		t.Errorf("%+v", first)
	}
	q.Entries = []transcript.Entry{{Answer: &first}, {Results: &transcript.Results{Note: "[left: 3 calls]", List: []transcript.Result{{Call: first.Calls[0].ID, Content: `{"success":true}`}}}},
		{Said: &transcript.Said{Text: "ann says: quick"}}}
	second, err := m.Answer(t.Context(), e, q)
	if err != nil || len(second.Calls) != 1 || string(second.Calls[0].Arguments) != `{"path":"b.go"}` {
		t.Fatalf("%+v, %v", second, err)
	}
	calls := s.Calls()
	if calls[0].Session != q.Session || calls[0].Model != "claude-sonnet-5-5" || !calls[0].Stream {
		t.Errorf("asked as %q for %q", calls[0].Session, calls[0].Model)
	}
	var body struct {
		Thinking json.RawMessage
		Context  struct{ Edits []struct{ Type string } } `json:"context_management"`
		Messages []struct {
			Role    string
			Content []map[string]any
		}
	}
	if err := json.Unmarshal(calls[1].Body, &body); err != nil {
		t.Fatal(err)
	}
	if e := body.Context.Edits; len(e) != 1 || e[0].Type != "clear_tool_uses_20250919" || calls[1].Header.Get("Anthropic-Beta") != "context-management-2025-06-27" {
		t.Errorf("long conversations are cleared by %+v", e)
	}
	if n := len(body.Messages); n != 3 || body.Thinking != nil {
		t.Fatalf("%d messages, thinking %s", n, body.Thinking)
	}
	if c := body.Messages[1].Content; len(c) != 3 || c[0]["type"] != "thinking" || c[0]["signature"] != "c2NyaXB0ZWQ=" {
		t.Errorf("the answer goes back as %v", c)
	}
	if c := body.Messages[2].Content; len(c) != 3 || c[0]["type"] != "tool_result" || c[2]["text"] != "ann says: quick" || c[2]["cache_control"] == nil {
		t.Errorf("the results go out as %v", c)
	}
}

// TestBlankText: the API gives blocks of blank text, and takes none back.
func TestBlankText(t *testing.T) {
	t.Parallel()
	blank := reads("a.go")
	blank.Text = "\n\n"
	_, e := model(t, blank, agenttest.Turn{Text: "Done."})
	q := transcript.Query{Session: "s", Start: start(), MaxOutput: 32_000}
	first, err := (&Model{}).Answer(t.Context(), e, q)
	if err != nil || first.Text != "" {
		t.Fatalf("%+v, %v", first, err)
	}
	q.Entries = []transcript.Entry{{Answer: &first}, {Results: &transcript.Results{List: []transcript.Result{{Call: first.Calls[0].ID, Content: `{"success":true}`}}}}}
	if second, err := (&Model{}).Answer(t.Context(), e, q); err != nil || second.Text != "Done." {
		t.Errorf("%+v, %v", second, err)
	}
}

// TestFailures tells what decides how a session goes on from what is tried again.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault agenttest.Fault
		kind  agent.OutcomeKind // "" for a fault of the moment
		text  string
	}{
		"refused key":   {agenttest.Fault{Status: http.StatusUnauthorized, Body: "invalid x-api-key"}, agent.AuthFailed, "invalid x-api-key (HTTP 401)"},
		"used up":       {agenttest.Fault{Status: http.StatusTooManyRequests, Body: "You've hit your limit", Header: map[string]string{"X-Should-Retry": "false"}}, agent.Quota, "You've hit your limit"},
		"slow down":     {agenttest.Fault{Status: http.StatusTooManyRequests, Body: "slow down", Header: map[string]string{"Retry-After": "0.01"}}, "", "slow down"},
		"in mid-stream": {agenttest.Fault{Fail: true, After: 2, Type: "overloaded_error", Body: "Overloaded"}, "", "Overloaded"},
		"over the limit": {agenttest.Fault{Status: http.StatusBadRequest, Body: "input length and `max_tokens` exceed context limit: 178959 + 32000 > 200000"},
			agent.Errored, "exceed context limit"},
		"much output": {agenttest.Fault{Status: http.StatusBadRequest, Body: "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for m"},
			agent.Errored, "8192"},
		"wrong":         {agenttest.Fault{Status: http.StatusBadRequest, Body: "tools: wrong"}, agent.Errored, "tools: wrong"},
		"too long":      {agenttest.Fault{Status: http.StatusBadRequest, Body: "prompt is too long"}, agent.Errored, "prompt is too long"},
		"overloaded":    {agenttest.Fault{Status: 529, Body: "Overloaded", Header: map[string]string{"X-Should-Retry": "false"}}, "", "Overloaded"},
		"broken off":    {agenttest.Fault{After: 3, Drop: true}, "", "EOF"},
		"never answers": {agenttest.Fault{Drop: true}, "", "ask the model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn := reads("a.go")
			turn.Fault = &c.fault
			_, e := model(t, turn)
			_, err := (&Model{}).Answer(t.Context(), e, transcript.Query{Session: "s", Start: start(), MaxOutput: 1000})
			var why *agent.Failure
			if errors.As(err, &why) != (c.kind != "") || c.kind != "" && why.Kind != c.kind || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("got %T %v", err, err)
			}
			if c.kind == "" && fault.KindOf(err) != fault.Infra {
				t.Errorf("it is a %s", fault.KindOf(err))
			}
			if long := strings.Contains(name, "too long") || strings.Contains(name, "limit"); c.kind == agent.Errored && why.TooLong != long {
				t.Errorf("too long: %t", why.TooLong)
			}
			if c.kind == agent.Errored && (why.MostOutput == 8192) != (name == "much output") {
				t.Errorf("it gives %d tokens at most", why.MostOutput)
			}
			var later *fault.Later
			var throttled *agent.Throttled
			if slow := name == "slow down"; errors.As(err, &later) != slow || errors.As(err, &throttled) != slow {
				t.Errorf("it says when to come back: %v; throttled: %v", later, throttled)
			}
		})
	}
	if _, err := (&Model{}).Answer(t.Context(), agent.Endpoint{Login: true}, transcript.Query{}); err == nil || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY") {
		t.Errorf("with the login of a subscription: %v", err)
	}
}

func TestNoAnswerTellsNoToken(t *testing.T) {
	t.Parallel()
	agenttest.TellsNoToken(t, func(ctx context.Context, client *http.Client, e agent.Endpoint) error {
		_, err := (&Model{Client: client}).Answer(ctx, e, transcript.Query{Session: "s", Start: start(), MaxOutput: 1000})
		return err
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	for short, full := range map[string]string{"opus": "claude-opus-5-5", "claude-sonnet-4-5": "claude-sonnet-4-5", "other/model": "other/model"} {
		if got := agent.ModelName(short); got != full {
			t.Errorf("%s is %s", short, got)
		}
	}
	if clearing("other/model", 200_000) != nil {
		t.Error("a server of somebody else is asked for what only Anthropic's does")
	}
	for model, takes := range map[string]bool{
		"claude-3-7-sonnet-20250219": true, "claude-sonnet-4-20250514": true, "claude-opus-4@20250514": true, "claude-opus-4-1": true, "claude-sonnet-4-5-20250929": true,
		"claude-opus-4-6[1m]": true, "anthropic/claude-opus-4.6": true, "anthropic/claude-3.7-sonnet": true, "us.anthropic.claude-haiku-4-5-20251001-v1:0": true,
		"claude-opus-4-7": false, "claude-opus-4-7-20260416": false, "anthropic/claude-opus-4.8": false, "claude-opus-5-5": false, "claude-sonnet-5": false,
		"claude-3-5-sonnet-20241022": false, "claude-3-haiku-20240307": false, "gpt-4.1": false,
	} {
		if agent.TakesBudget(model) != takes {
			t.Errorf("%s takes a budget for thinking: %t", model, !takes)
		}
	}
}
