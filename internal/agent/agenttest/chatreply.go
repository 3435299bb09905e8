package agenttest

import (
	"cmp"
	"fmt"
	"strings"
)

// chatReply is a chat completion of OpenAI's API, which does not tell thoughts.
type chatReply struct{ answer }

func (a chatReply) whole() []byte {
	text, calls := a.parts()
	message := map[string]any{"role": "assistant", "content": nil, "refusal": nil}
	if text != "" {
		message["content"] = text
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	choice := map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": a.finish()}
	c := a.completion("chat.completion", choice)
	c["usage"] = a.usageJSON()
	return encode(c)
}

func (a chatReply) completion(object string, choices ...map[string]any) map[string]any {
	if choices == nil {
		choices = []map[string]any{}
	}
	return map[string]any{"id": "chatcmpl-" + a.id, "object": object, "created": madeAt, "model": a.model, "choices": choices}
}

func (a chatReply) usageJSON() map[string]any {
	return map[string]any{
		"prompt_tokens": a.inputTokens(), "completion_tokens": a.usage.Output, "total_tokens": a.inputTokens() + a.usage.Output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": a.usage.CacheRead, "cache_write_tokens": a.usage.CacheWrite},
		"completion_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
}

func (a chatReply) finish() string {
	names := map[string]string{"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}
	return cmp.Or(names[a.stop], a.stop)
}

// parts are the text and the calls of an answer.
func (a chatReply) parts() (text string, calls []map[string]any) {
	var texts []string
	for _, c := range a.content {
		switch c["type"] {
		case "text":
			texts = append(texts, fmt.Sprint(c["text"]))
		case "tool_use":
			call := map[string]any{"id": callID(c)}
			if input, ok := c["input"].(string); ok {
				call["type"], call["custom"] = "custom", map[string]any{"name": c["name"], "input": input}
			} else {
				call["type"], call["function"] = "function", map[string]any{"name": c["name"], "arguments": arguments(c)}
			}
			calls = append(calls, call)
		}
	}
	return strings.Join(texts, "\n"), calls
}

func (a chatReply) events() [][]byte {
	var list [][]byte
	add := func(chunk map[string]any) {
		if a.asked.IncludeUsage && chunk["usage"] == nil {
			chunk["usage"] = nil // of all chunks but the last
		}
		list = append(list, data(encode(chunk)))
	}
	say := func(delta map[string]any, finish any) {
		add(a.completion("chat.completion.chunk", map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}))
	}
	say(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)
	text, calls := a.parts()
	if text != "" {
		say(map[string]any{"content": text}, nil)
	}
	for i, call := range calls {
		for _, delta := range callDeltas(call) {
			delta["index"] = i
			say(map[string]any{"tool_calls": []any{delta}}, nil)
		}
	}
	say(map[string]any{}, a.finish())
	if a.asked.IncludeUsage {
		last := a.completion("chat.completion.chunk")
		last["usage"] = a.usageJSON()
		add(last)
	}
	return append(list, data([]byte("[DONE]")))
}

// callDeltas gives a function its name first, and its arguments in two halves.
func callDeltas(call map[string]any) []map[string]any {
	f, ok := call["function"].(map[string]any)
	if !ok {
		return []map[string]any{call}
	}
	text := f["arguments"].(string)
	half := len(text) / 2
	more := func(part string) map[string]any { return map[string]any{"function": map[string]any{"arguments": part}} }
	first := map[string]any{"id": call["id"], "type": "function", "function": map[string]any{"name": f["name"], "arguments": ""}}
	return []map[string]any{first, more(text[:half]), more(text[half:])}
}

func (a chatReply) failure(f *Fault, _ int) []byte {
	return data(encode(openaiErrorBody(cmp.Or(f.Type, "server_error"), f.Code, f.Body)))
}

func data(text []byte) []byte { return fmt.Appendf(nil, "data: %s\n\n", text) }
