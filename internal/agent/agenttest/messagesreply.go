package agenttest

import "cmp"

// messagesReply is a message of Anthropic's API.
type messagesReply struct{ answer }

func (a messagesReply) message(content any, stop any, output int64) map[string]any {
	return map[string]any{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": a.usageJSON(output),
	}
}

func (a messagesReply) usageJSON(output int64) map[string]any {
	return map[string]any{"input_tokens": a.usage.Input, "cache_creation_input_tokens": a.usage.CacheWrite,
		"cache_read_input_tokens": a.usage.CacheRead, "output_tokens": output}
}

func (a messagesReply) whole() []byte { return encode(a.message(a.content, a.stop, a.usage.Output)) }

func (a messagesReply) events() [][]byte {
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

func (a messagesReply) failure(f *Fault, _ int) []byte {
	return event("error", messagesError(cmp.Or(f.Type, "api_error"), f.Body))
}

// parts splits a block into the empty one that opens it and the deltas that fill it.
func (a messagesReply) parts(c map[string]any) (start map[string]any, deltas []map[string]any) {
	switch c["type"] {
	case "thinking":
		return map[string]any{"type": "thinking", "thinking": "", "signature": ""},
			[]map[string]any{{"type": "thinking_delta", "thinking": c["thinking"]}, {"type": "signature_delta", "signature": c["signature"]}}
	case "tool_use":
		input := string(encode(c["input"]))
		delta := func(part string) map[string]any {
			return map[string]any{"type": "input_json_delta", "partial_json": part}
		}
		half := len(input) / 2
		return map[string]any{"type": "tool_use", "id": c["id"], "name": c["name"], "input": map[string]any{}},
			[]map[string]any{delta(input[:half]), delta(input[half:])}
	default:
		return map[string]any{"type": "text", "text": ""}, []map[string]any{{"type": "text_delta", "text": c["text"]}}
	}
}
