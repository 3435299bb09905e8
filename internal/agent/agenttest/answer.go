package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/longshift/longshift/task"
)

// answerTools are those by which agents hand in a plan and a review.
var answerTools = []string{"mcp__longshift__plan_submit", "mcp__longshift__review_submit", "plan_submit", "review_submit"}

// answerTool returns the tool for a structured answer that is offered, "" for none.
func answerTool(q *request) string {
	for _, name := range answerTools {
		if offered(q, name) {
			return name
		}
	}
	return ""
}

// answer is one message of the model to be sent.
type answer struct {
	id, model, stop string
	content         []map[string]any
	usage           task.Usage
}

// answerFor builds the message of turn k.
func (r *rule) answerFor(q *request, k int, id string) answer {
	t := r.Turns[k]
	a := answer{id: id, model: q.Model, stop: t.Stop, usage: t.Usage}
	if a.usage.Input+a.usage.Output+a.usage.CacheRead+a.usage.CacheWrite == 0 {
		a.usage = task.Usage{Input: 100, Output: 50}
	}
	if t.Thinking != "" {
		a.content = append(a.content, map[string]any{"type": "thinking", "thinking": t.Thinking, "signature": "c2NyaXB0ZWQ="})
	}
	if t.Text != "" {
		a.content = append(a.content, map[string]any{"type": "text", "text": t.Text})
	}
	serial := said(q, r.Name, k)
	call := func(i int, name string, input any) {
		a.content = append(a.content, map[string]any{"type": "tool_use", "id": toolCallID(r.Name, k, i, serial), "name": name, "input": input})
	}
	for i, tool := range t.Tools {
		call(i, tool.Name, tool.Input)
	}
	if t.Answer != nil {
		if tool := answerTool(q); tool != "" {
			call(len(t.Tools), tool, t.Answer)
		} else {
			a.content = append(a.content, map[string]any{"type": "text", "text": string(t.Answer)})
		}
	}
	if a.stop == "" {
		a.stop = "end_turn"
		for _, c := range a.content {
			if c["type"] == "tool_use" {
				a.stop = "tool_use"
			}
		}
	}
	return a
}

// helperAnswer answers a side call of the agent program, for example for a title. It costs nothing, so that sums match the script.
func helperAnswer(q *request, id string) answer {
	return answer{id: id, model: q.Model, stop: "end_turn", content: []map[string]any{{"type": "text", "text": "ok"}}}
}

func offered(q *request, tool string) bool {
	for _, t := range q.Tools {
		if t.Name == tool {
			return true
		}
	}
	return false
}

// said counts how often the conversation contains the turn's calls.
func said(q *request, rule string, turn int) int {
	n := 0
	for _, m := range q.Messages {
		for _, b := range m.Content {
			if name, k, ok := parseToolID(b.ID); ok && name == rule && k == turn {
				n++
			}
		}
	}
	return n
}

func (a answer) message(content any, stop any, output int64) map[string]any {
	return map[string]any{
		"id": a.id, "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": a.usageJSON(output),
	}
}

func (a answer) usageJSON(output int64) map[string]any {
	return map[string]any{"input_tokens": a.usage.Input, "cache_creation_input_tokens": a.usage.CacheWrite,
		"cache_read_input_tokens": a.usage.CacheRead, "output_tokens": output}
}

// whole is the body of an answer that is not streamed.
func (a answer) whole() []byte {
	body, _ := json.Marshal(a.message(a.content, a.stop, a.usage.Output)) // maps of strings and numbers always marshal
	return body
}

// events is the answer as server-sent events, in the API's order.
func (a answer) events() [][]byte {
	list := [][]byte{event("message_start", map[string]any{"message": a.message([]any{}, nil, 1)}), event("ping", map[string]any{})}
	for i, c := range a.content {
		start, deltas := a.parts(c)
		list = append(list, event("content_block_start", map[string]any{"index": i, "content_block": start}))
		for _, d := range deltas {
			list = append(list, event("content_block_delta", map[string]any{"index": i, "delta": d}))
		}
		list = append(list, event("content_block_stop", map[string]any{"index": i}))
	}
	return append(list,
		event("message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": a.stop, "stop_sequence": nil}, "usage": a.usageJSON(a.usage.Output)}),
		event("message_stop", map[string]any{}))
}

// parts splits a block into the empty one that opens it and the deltas that fill it.
func (a answer) parts(c map[string]any) (start map[string]any, deltas []map[string]any) {
	switch c["type"] {
	case "thinking":
		return map[string]any{"type": "thinking", "thinking": "", "signature": ""},
			[]map[string]any{{"type": "thinking_delta", "thinking": c["thinking"]}, {"type": "signature_delta", "signature": c["signature"]}}
	case "tool_use":
		input, _ := json.Marshal(c["input"])
		delta := func(part []byte) map[string]any {
			return map[string]any{"type": "input_json_delta", "partial_json": string(part)}
		}
		half := len(input) / 2
		return map[string]any{"type": "tool_use", "id": c["id"], "name": c["name"], "input": map[string]any{}},
			[]map[string]any{delta(input[:half]), delta(input[half:])}
	default:
		return map[string]any{"type": "text", "text": ""}, []map[string]any{{"type": "text_delta", "text": c["text"]}}
	}
}

func event(name string, data map[string]any) []byte {
	data["type"] = name
	body, _ := json.Marshal(data)
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, body)
	return b.Bytes()
}

// errorType is the API's name for a status.
func errorType(status int) string {
	switch status {
	case 400:
		return "invalid_request_error"
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	default:
		return "api_error"
	}
}

func writeError(w io.Writer, kind, message string) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "error", "error": map[string]any{"type": kind, "message": message}, "request_id": "req_scripted"})
}
