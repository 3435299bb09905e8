package agenttest

import "maps"

// responsesStream numbers events.
type responsesStream struct{ list [][]byte }

func (s *responsesStream) add(name string, data map[string]any) {
	data["sequence_number"] = len(s.list)
	s.list = append(s.list, event("response."+name, data))
}

func (a responsesReply) events() [][]byte {
	var s responsesStream
	begun := func() map[string]any {
		return map[string]any{"response": a.response("in_progress", []map[string]any{})}
	}
	s.add("created", begun())
	s.add("in_progress", begun())
	for i, item := range a.items() {
		s.add("output_item.added", map[string]any{"output_index": i, "item": opened(item)})
		s.fill(i, item)
		s.add("output_item.done", map[string]any{"output_index": i, "item": item})
	}
	end := a.ended()
	s.add(end["status"].(string), map[string]any{"response": end})
	return s.list
}

func (a responsesReply) failure(f *Fault, after int) []byte {
	return event("response.failed", map[string]any{"response": a.failed(f), "sequence_number": after})
}

// opened is an item before anything of it was said.
func opened(item map[string]any) map[string]any {
	o := maps.Clone(item)
	if o["status"] != nil {
		o["status"] = "in_progress"
	}
	switch item["type"] {
	case "message":
		o["content"] = []any{}
	case "reasoning":
		o["summary"] = []any{}
	case "function_call":
		o["arguments"] = ""
	case "custom_tool_call":
		o["input"] = ""
	}
	return o
}

// fill says what is in an item, in two halves where a client must put it together again.
func (s *responsesStream) fill(i int, item map[string]any) {
	add := func(name string, data map[string]any) {
		data["item_id"], data["output_index"] = item["id"], i
		s.add(name, data)
	}
	halves := func(name, field string, end map[string]any) {
		text := item[field].(string)
		half := len(text) / 2
		add(name+".delta", map[string]any{"delta": text[:half]})
		add(name+".delta", map[string]any{"delta": text[half:]})
		end[field] = text
		add(name+".done", end)
	}
	switch item["type"] {
	case "message":
		part := item["content"].([]any)[0].(map[string]any)
		add("content_part.added", map[string]any{"content_index": 0, "part": outputText("")})
		add("output_text.delta", map[string]any{"content_index": 0, "delta": part["text"], "logprobs": []any{}})
		add("output_text.done", map[string]any{"content_index": 0, "text": part["text"], "logprobs": []any{}})
		add("content_part.done", map[string]any{"content_index": 0, "part": part})
	case "reasoning":
		part := item["summary"].([]any)[0].(map[string]any)
		add("reasoning_summary_part.added", map[string]any{"summary_index": 0, "part": map[string]any{"type": "summary_text", "text": ""}})
		add("reasoning_summary_text.delta", map[string]any{"summary_index": 0, "delta": part["text"]})
		add("reasoning_summary_text.done", map[string]any{"summary_index": 0, "text": part["text"]})
		add("reasoning_summary_part.done", map[string]any{"summary_index": 0, "part": part})
	case "function_call":
		halves("function_call_arguments", "arguments", map[string]any{"name": item["name"]})
	case "custom_tool_call":
		halves("custom_tool_call_input", "input", map[string]any{})
	}
}
