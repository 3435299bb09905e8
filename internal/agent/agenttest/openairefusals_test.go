package agenttest

import (
	"strings"
	"testing"
)

// refusedOpenAI asks what the API refuses, and says why.
func refusedOpenAI(t *testing.T, c openaiClient, q map[string]any) (status int, why string) {
	t.Helper()
	f := &failing{TB: t}
	s := NewServer(f, oneRule(Turn{Tools: []Tool{{Name: "write"}}}))
	resp := c.post(t, s, q, nil)
	why, _, _ = refusal(t, resp)
	f.cleanups[0]()
	if u := s.Unscripted(); len(s.Calls()) != 0 || len(u) != 1 || len(f.errors) != 1 || "scripted model: "+u[0].Error != why {
		t.Errorf("calls %+v, unscripted %+v, the test said %q", s.Calls(), u, f.errors)
	}
	return resp.StatusCode, why
}

// set changes a field of a request; nil leaves it out.
func set(field string, value any) func(map[string]any) {
	return func(q map[string]any) {
		q[field] = value
		if value == nil {
			delete(q, field)
		}
	}
}

func functionCall(id string) map[string]any {
	return map[string]any{"type": "function_call", "call_id": id, "name": "write", "arguments": "{}"}
}

func TestResponsesRefusals(t *testing.T) {
	c, hello := openaiClients["responses"], user("go")
	custom := map[string]any{"type": "custom_tool_call", "call_id": "x", "name": "exec", "input": "ls"}
	with := func(item map[string]any, field string, value any) map[string]any {
		set(field, value)(item)
		return item
	}
	for name, r := range map[string]struct {
		change func(map[string]any)
		input  []any
		why    string
	}{
		"no rule":                 {set("instructions", "Role: planner"), []any{hello}, "no rule fits"},
		"no turn left":            {nil, []any{hello, functionCall("call_it_0_0_0"), c.result("call_it_0_0_0", "ok")}, "no turn after its 1"},
		"not a request":           {set("model", 7), []any{hello}, "body is not a request"},
		"no model":                {set("model", nil), []any{hello}, "model: missing"},
		"no input":                {nil, nil, "input: "},
		"empty input":             {set("input", []any{}), nil, "input: missing"},
		"earlier response":        {set("previous_response_id", "resp_1"), []any{hello}, "keeps no responses"},
		"kept item":               {nil, []any{hello, map[string]any{"type": "item_reference", "id": "msg_1"}}, `input.1: item "msg_1" is not found`},
		"thought that is lost":    {nil, []any{hello, map[string]any{"type": "reasoning", "id": "rs_1", "summary": []any{}}}, `input.1: item "rs_1" is not found: without store`},
		"unknown field":           {set("prompt_text", "go"), []any{hello}, "additional properties 'prompt_text' not allowed"},
		"unknown field of a call": {nil, []any{hello, with(functionCall("x"), "args", "{}"), c.result("x", "ok")}, "input.1: additional properties 'args' not allowed"},
		"unknown item":            {nil, []any{hello, map[string]any{"type": "sound"}}, "input.1.type: "},
		"unknown content":         {nil, []any{user([]any{map[string]any{"type": "text", "text": "go"}})}, "input.0.content.0.type: "},
		"wrong role":              {nil, []any{map[string]any{"type": "message", "role": "tool", "content": "x"}}, "input.0.role: "},
		"call without arguments":  {nil, []any{hello, with(functionCall("x"), "arguments", nil)}, "input.1: missing property 'arguments'"},
		"arguments as an object":  {nil, []any{hello, with(functionCall("x"), "arguments", map[string]any{})}, "body is not a request"},
		"output without text":     {nil, []any{hello, functionCall("x"), with(c.result("x", "ok"), "output", nil)}, "input.2: missing property 'output'"},
		"tool without name":       {set("tools", []any{map[string]any{"type": "function", "parameters": map[string]any{}, "strict": false}}), []any{hello}, "tools.0: missing property 'name'"},
		"tool of Chat":            {set("tools", []any{map[string]any{"type": "function", "function": map[string]any{"name": "write"}}}), []any{hello}, "tools.0: "},
		"odd effort":              {set("reasoning", map[string]any{"effort": "huge"}), []any{hello}, "reasoning.effort: "},
		"open call":               {nil, []any{hello, functionCall("x"), hello}, `function_call "x" has no function_call_output`},
		"stray output":            {nil, []any{hello, c.result("x", "ok")}, `input.1: function_call_output "x" answers no function_call`},
		"output before its call":  {nil, []any{hello, c.result("x", "ok"), functionCall("x")}, `input.1: function_call_output "x" answers no function_call`},
		"output of another kind":  {nil, []any{hello, custom, c.result("x", "ok")}, `function_call_output "x" answers no function_call`},
		"open custom call":        {nil, []any{hello, custom}, `custom_tool_call "x" has no custom_tool_call_output`},
		"same call twice":         {nil, []any{hello, functionCall("x"), c.result("x", "ok"), functionCall("x"), c.result("x", "ok")}, `input.3: the id "x" of a function_call is empty or not unique`},
		"answered twice":          {nil, []any{hello, functionCall("x"), c.result("x", "ok"), c.result("x", "ok")}, `input.3: function_call_output "x" answers no function_call`},
		"same item twice":         {nil, []any{hello, with(functionCall("x"), "id", "fc_1"), c.result("x", "ok"), with(functionCall("y"), "id", "fc_1"), c.result("y", "ok")}, `input.3: duplicate item with id "fc_1"`},
	} {
		t.Run(name, func(t *testing.T) {
			q := c.request(r.input...)
			if r.change != nil {
				r.change(q)
			}
			if status, why := refusedOpenAI(t, c, q); status != 400 || !strings.Contains(why, r.why) {
				t.Errorf("answer %d %s", status, why)
			}
		})
	}
}

func TestChatRefusals(t *testing.T) {
	c, hello := openaiClients["chat"], user("go")
	calling := func(ids ...string) map[string]any {
		var calls []any
		for _, id := range ids {
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "write", "arguments": "{}"}})
		}
		return map[string]any{"role": "assistant", "tool_calls": calls}
	}
	for name, r := range map[string]struct {
		change   func(map[string]any)
		messages []any
		why      string
	}{
		"no turn left":         {nil, []any{hello, calling("call_it_0_0_0"), c.result("call_it_0_0_0", "ok")}, "no turn after its 1"},
		"no messages":          {set("messages", []any{}), nil, "messages: "},
		"no model":             {set("model", nil), []any{hello}, "missing property 'model'"},
		"unknown field":        {set("instructions", "go"), []any{hello}, "additional properties 'instructions' not allowed"},
		"wrong role":           {nil, []any{map[string]any{"role": "robot", "content": "x"}}, "messages.1.role: "},
		"result without id":    {nil, []any{hello, map[string]any{"role": "tool", "content": "x"}}, "messages.2: missing property 'tool_call_id'"},
		"call without name":    {nil, []any{hello, map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": "x", "type": "function", "function": map[string]any{"arguments": "{}"}}}}}, "messages.2.tool_calls.0.function: missing property 'name'"},
		"tool of Responses":    {set("tools", []any{map[string]any{"type": "function", "name": "write"}}), []any{hello}, "tools.0: "},
		"open call":            {nil, []any{hello, calling("x", "y"), c.result("x", "ok"), hello}, `messages.4: tool_call "y" has no message of the role tool`},
		"open call, end":       {nil, []any{hello, calling("x")}, `tool_call "x" has no message of the role tool`},
		"open call, assistant": {nil, []any{hello, calling("x"), calling("y"), c.result("x", "ok"), c.result("y", "ok")}, `messages.3: tool_call "x" has no message`},
		"stray result":         {nil, []any{hello, c.result("x", "ok")}, `messages.2: message of the role tool "x" answers no tool_call`},
		"same call twice":      {nil, []any{hello, calling("x"), c.result("x", "ok"), calling("x"), c.result("x", "ok")}, `messages.4: the id "x" of a tool_call is empty or not unique`},
	} {
		t.Run(name, func(t *testing.T) {
			q := c.request(r.messages...)
			if r.change != nil {
				r.change(q)
			}
			if status, why := refusedOpenAI(t, c, q); status != 400 || !strings.Contains(why, r.why) {
				t.Errorf("answer %d %s", status, why)
			}
		})
	}
}

func TestOpenAIKey(t *testing.T) {
	for name, c := range openaiClients {
		f := &failing{TB: t}
		s := NewServer(f, Script{Key: "other", Rules: oneRule(Turn{Text: "x"}).Rules})
		resp := c.post(t, s, c.request(user("go")), nil)
		if _, kind, code := refusal(t, resp); resp.StatusCode != 401 || kind != "invalid_request_error" || code != "invalid_api_key" {
			t.Errorf("%s: answer %d %s %s", name, resp.StatusCode, kind, code)
		}
		s.Close()
	}
}
