package agenttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// TestResponsesTools calls tools of namespaces, however they are told.
func TestResponsesTools(t *testing.T) {
	const tool = "mcp__longshift__plan_submit"
	namespace := []any{map[string]any{"type": "namespace", "name": "mcp__longshift", "description": "reports",
		"tools": []any{map[string]any{"type": "function", "name": "plan_submit", "parameters": map[string]any{"type": "object"}}}}}
	system := func(text string) map[string]any {
		return map[string]any{"type": "message", "role": "developer", "content": []any{map[string]any{"type": "input_text", "text": text}}}
	}
	planner := system("Role: planner")
	for name, c := range map[string]struct {
		tools   []any
		items   []any
		offered string
		want    string
	}{
		"of the request":      {namespace, []any{planner}, tool, "plan_submit mcp__longshift"},
		"by an item":          {nil, []any{map[string]any{"type": "additional_tools", "role": "developer", "tools": namespace}, planner}, tool, "plan_submit mcp__longshift"},
		"deferred":            {nil, []any{planner, system("<tools>\nDeferred tool namespaces:\n- other: for others\n- mcp__longshift\n</tools>")}, "", "plan_submit mcp__longshift"},
		"deferred, of others": {nil, []any{planner, system("Deferred tool namespaces:\n- other\n\n- mcp__longshift")}, "", ""},
		"without a namespace": {[]any{map[string]any{"type": "function", "name": tool, "strict": nil, "parameters": map[string]any{}}}, []any{planner}, tool, tool + " <nil>"},
		"of OpenCode":         {[]any{map[string]any{"type": "function", "name": "longshift_plan_submit", "strict": false, "parameters": map[string]any{}}}, []any{planner}, "longshift_plan_submit", "longshift_plan_submit <nil>"},
		"of the API":          {[]any{map[string]any{"type": "web_search"}}, []any{planner}, "web_search", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewServer(t, Script{Rules: []Rule{{Role: task.Planner, Turns: []Turn{{Answer: []byte(`{"a":1}`)}}}}})
			client := openaiClients["responses"]
			q := client.request(append(c.items, user("go"))...)
			delete(q, "tools")
			if c.tools != nil {
				q["tools"] = c.tools
			}
			h := client.hear(t, client.post(t, s, q, nil))
			if got := strings.Join(s.Calls()[0].Tools, " "); got != c.offered {
				t.Errorf("offered are %q", got)
			}
			call := h.said[0].(map[string]any)
			if c.want == "" {
				if h.text != `{"a":1}` {
					t.Errorf("it said %v", h.said)
				}
			} else if got := fmt.Sprint(call["name"], " ", call["namespace"]); got != c.want || call["arguments"] != `{"a":1}` {
				t.Errorf("the call is %v", call)
			}
		})
	}
}

// TestResponsesItems reads what Codex sends of a conversation that was interrupted.
func TestResponsesItems(t *testing.T) {
	script := oneRule(Turn{Tools: []Tool{{Name: "exec", Text: "ls"}}, Redo: true}, Turn{Text: "fine"})
	script.KeepBodies = true
	s := NewServer(t, script)
	c := openaiClients["responses"]
	for output, turn := range map[string]int{"a.txt": 1, "aborted": 0, "Wall time: 0.5 seconds\naborted by user": 0, "It was aborted": 1, "[Tool execution was interrupted]": 0} {
		q := c.request(user("# AGENTS.md instructions for /w\nsay no"), user("<environment_context>/w</environment_context>"), user("go"),
			map[string]any{"type": "reasoning", "id": "rs_1", "summary": []any{}, "content": nil, "encrypted_content": "eA=="},
			map[string]any{"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_it_0_0_0", "name": "exec", "namespace": "functions", "input": "ls"},
			map[string]any{"type": "custom_tool_call_output", "call_id": "call_it_0_0_0", "output": []any{map[string]any{"type": "input_text", "text": output}}},
			user("<turn_aborted>by the user</turn_aborted>"))
		q["client_metadata"] = map[string]any{"thread_id": output}
		c.hear(t, c.post(t, s, q, nil))
		calls := s.Calls()
		last := calls[len(calls)-1]
		if last.Session != output {
			t.Errorf("the session is %q", last.Session)
		}
		results, err := last.Results()
		if err != nil || last.Turn != turn || last.Prompt != "go" || len(results) != 1 || results[0] != (Result{Rule: "it", Input: `"ls"`, Text: output}) {
			t.Errorf("%q: turn %d, prompt %q, results %+v: %v", output, last.Turn, last.Prompt, results, err)
		}
	}
}

// TestUndescribedFields sends what Codex and OpenCode do. Every line of undescribed is in it.
func TestUndescribedFields(t *testing.T) {
	s, c := NewServer(t, oneRule(Turn{Text: "fine"})), openaiClients["responses"]
	q := c.request(
		map[string]any{"type": "message", "id": "msg_1", "role": "user", "content": []any{map[string]any{"type": "input_text", "text": "go"}}},
		map[string]any{"type": "reasoning", "summary": []any{}, "content": nil, "encrypted_content": "eA=="},
		map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "hm"}}})
	q["client_metadata"] = map[string]any{"turn_id": "1"}
	q["conversation"] = nil // as may be all that may be left out
	q["tools"] = []any{map[string]any{"type": "web_search", "search_content_types": []any{"text"}}}
	if h := c.hear(t, c.post(t, s, q, nil)); h.text != "fine" {
		t.Errorf("it said %q", h.text)
	}
	for i, u := range undescribed {
		d, err := openDescription("openai.json", slices.Delete(slices.Clone(undescribed), i, i+1))
		if err != nil {
			t.Fatal(err)
		}
		root, err := d.Compile("openai.json#/$defs/ResponseNewParams")
		if err != nil {
			t.Fatal(err)
		}
		if fits(root, encode(q)) == nil {
			t.Errorf("%s.%s is not needed", u.of, u.field)
		}
	}
}
