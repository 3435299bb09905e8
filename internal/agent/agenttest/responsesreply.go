package agenttest

import (
	"cmp"
	"fmt"
)

// responsesReply is a response of OpenAI's API.
type responsesReply struct{ answer }

func (a responsesReply) whole() []byte { return encode(a.ended()) }

func (a responsesReply) response(status string, output []map[string]any) map[string]any {
	return map[string]any{
		"id": "resp_" + a.id, "object": "response", "created_at": madeAt, "status": status, "model": a.model, "output": output,
		"access_programs": nil, "error": nil, "incomplete_details": nil, "instructions": nil, "metadata": map[string]any{}, "parallel_tool_calls": true,
		"temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": []any{},
	}
}

// madeAt is when all answers were made, in seconds since 1970: nothing depends on it.
const madeAt = 1767225600

// ended is the response with all that was said.
func (a responsesReply) ended() map[string]any {
	r := a.response("completed", a.items())
	if a.stop == "max_tokens" {
		r["status"], r["incomplete_details"] = "incomplete", map[string]any{"reason": "max_output_tokens"}
	}
	r["usage"] = map[string]any{
		"input_tokens": a.inputTokens(), "output_tokens": a.usage.Output, "total_tokens": a.inputTokens() + a.usage.Output,
		"input_tokens_details":  map[string]any{"cached_tokens": a.usage.CacheRead, "cache_write_tokens": a.usage.CacheWrite},
		"output_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
	return r
}

// failed is the response that an error has ended.
func (a responsesReply) failed(f *Fault) map[string]any {
	r := a.response("failed", []map[string]any{})
	r["error"] = map[string]any{"code": cmp.Or(f.Code, "server_error"), "message": f.Body}
	return r
}

func (a responsesReply) items() []map[string]any {
	list := []map[string]any{}
	for i, c := range a.content {
		id := fmt.Sprintf("%s_%d", a.id, i)
		switch c["type"] {
		case "thinking":
			list = append(list, map[string]any{"type": "reasoning", "id": "rs_" + id, "encrypted_content": c["signature"],
				"summary": []any{map[string]any{"type": "summary_text", "text": c["thinking"]}}})
		case "tool_use":
			list = append(list, a.call(id, c))
		default:
			list = append(list, map[string]any{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed",
				"content": []any{outputText(c["text"])}})
		}
	}
	return list
}

func outputText(text any) map[string]any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (a responsesReply) call(id string, c map[string]any) map[string]any {
	name := fmt.Sprint(c["name"])
	call := map[string]any{"call_id": callID(c), "name": name}
	if space := a.asked.namespace(name); space != "" {
		call["namespace"], call["name"] = space, name[len(space+"__"):]
	}
	if text, ok := c["input"].(string); ok {
		call["type"], call["id"], call["input"] = "custom_tool_call", "ctc_"+id, text
	} else {
		call["type"], call["id"], call["arguments"] = "function_call", "fc_"+id, arguments(c)
		call["status"] = "completed"
	}
	return call
}
