package gateway

import (
	"maps"
	"strings"
)

// answerTokens bounds the output of a call that names no bound. No model of OpenAI gives more.
const answerTokens = 128_000

// openAI is the part of the Responses API and of Chat Completions that agents use. None of it lets the vendor contact a
// host, run code, read a file, keep a conversation or ask another model.
func openAI() vendor {
	return vendor{
		usual: DefaultOpenAIUpstream, list: DefaultOpenAIPrices, first: "/v1/responses", posts: map[string]route{"/v1/responses": responses, "/v1/chat/completions": chat},
		header: []string{
			"Accept", "User-Agent", "Originator", "Session_id", "Conversation_id", "Session-Id", "Thread-Id", "X-Client-Request-Id",
			"X-Stainless-Arch", "X-Stainless-Lang", "X-Stainless-Os", "X-Stainless-Package-Version", "X-Stainless-Retry-Count",
			"X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Timeout",
		},
		bodies: map[route]shape{responses: response(), chat: completion()},
		bound:  boundAnswer, events: openAIEvent, longest: maxMessage, hides: true, usage: openAIUsageOf, limit: openAILimit, models: openAIModels,
	}
}

// response is the shape of a request to the Responses API.
func response() record {
	part := typed("content", map[string]record{
		"input_text":   {keys: keys{"text": text}},
		"output_text":  {keys: keys{"text": text, "annotations": list{anything}, "logprobs": anything}},
		"input_image":  {keys: keys{"image_url": inline, "detail": text}, tokens: imageTokens, usual: imageUsual},
		"refusal":      {keys: keys{"refusal": text}},
		"summary_text": {keys: keys{"text": text}},
	})
	part.by["input_image"] = inlinePicture{part.by["input_image"], []string{"image_url"}}
	content := textOr{list{part}}
	message := record{keys: keys{"id": text, "role": words{"user", "assistant", "system", "developer"}, "content": content, "status": text, "phase": text}}
	call := record{keys: keys{"id": text, "call_id": text, "name": text, "namespace": text, "arguments": text, "input": text, "status": text}}
	result := record{keys: keys{"id": text, "call_id": text, "name": text, "output": content, "status": text}}
	tools := list{agentTools()}
	item := typed("item", map[string]record{
		"additional_tools":   {keys: keys{"id": text, "role": words{"developer"}, "tools": tools}},
		"tool_search_call":   {keys: keys{"id": text, "call_id": text, "execution": byAgent, "arguments": anything, "status": text}},
		"tool_search_output": {keys: keys{"id": text, "call_id": text, "execution": byAgent, "tools": tools, "status": text}},
		"":                   message, "message": message,
		"function_call": call, "custom_tool_call": call, "function_call_output": result, "custom_tool_call_output": result,
		"reasoning": {keys: keys{"id": text, "summary": list{part}, "content": list{anything}, "encrypted_content": text, "status": text}},
		// These are carried out by the agent, as all its tools are.
		"local_shell_call":        {keys: keys{"id": text, "call_id": text, "action": anything, "status": text}},
		"local_shell_call_output": result,
		"apply_patch_call":        {keys: keys{"id": text, "call_id": text, "operation": anything, "status": text}},
		"apply_patch_call_output": result,
	})
	return record{keys: keys{
		"model": modelName{}, "instructions": text, "input": textOr{list{item}}, "tools": tools, "stream": yesNo,
		"max_output_tokens": integer, "temperature": number, "top_p": number, "parallel_tool_calls": yesNo, "truncation": words{"disabled", "auto"},
		"reasoning": record{name: "reasoning", keys: keys{"effort": text, "summary": text, "generate_summary": text, "context": text}},
		"text":      record{name: "text", keys: keys{"verbosity": text, "format": format()}},
		"include":   list{words{"reasoning.encrypted_content", "message.output_text.logprobs"}},
		"store":     never{}, "prompt_cache_key": text, "prompt_cache_retention": text, "safety_identifier": text, "user": text,
		"service_tier": words{"auto", "default", "flex"}, "metadata": anything, "client_metadata": anything,
		"tool_choice": textOr{typed("tool_choice", map[string]record{"function": {keys: keys{"name": text}}, "custom": {keys: keys{"name": text}},
			"allowed_tools": {keys: keys{"mode": text, "tools": list{anything}}}})},
		"stream_options": record{name: "stream_options", keys: keys{"include_obfuscation": yesNo}},
	}}
}

// completion is the shape of a request to Chat Completions.
func completion() record {
	part := typed("content", map[string]record{
		"text": {keys: keys{"text": text, "cache_control": anything}}, "refusal": {keys: keys{"refusal": text}},
		"image_url": {keys: keys{"image_url": record{name: "image_url", keys: keys{"url": inline, "detail": text}}}, tokens: imageTokens, usual: imageUsual},
	})
	part.by["image_url"] = inlinePicture{part.by["image_url"], []string{"image_url", "url"}}
	call := typed("tool_call", map[string]record{
		"function": {keys: keys{"id": text, "index": integer, "function": record{name: "function", keys: keys{"name": text, "arguments": text}}}},
		"custom":   {keys: keys{"id": text, "index": integer, "custom": record{name: "custom", keys: keys{"name": text, "input": text}}}},
	})
	return record{keys: keys{
		"model": modelName{}, "stream": yesNo, "temperature": number, "top_p": number, "max_tokens": integer, "max_completion_tokens": integer,
		"messages": list{record{name: "message", keys: keys{
			"role": words{"user", "assistant", "system", "developer", "tool"}, "content": textOr{list{part}}, "name": text, "refusal": text,
			"tool_calls": list{call}, "tool_call_id": text, "reasoning": text, "reasoning_content": text, "reasoning_details": anything,
		}}},
		"tools": list{agentTools()}, "parallel_tool_calls": yesNo, "response_format": format(), "seed": integer, "stop": textOr{list{text}},
		"tool_choice": textOr{typed("tool_choice", map[string]record{"function": {keys: keys{"function": anything}}})}, "store": never{},
		"stream_options":   record{name: "stream_options", keys: keys{"include_usage": yesNo, "include_obfuscation": yesNo}},
		"reasoning_effort": text, "verbosity": text, "prompt_cache_key": text, "prompt_cache_retention": text, "safety_identifier": text, "user": text,
		"service_tier": words{"auto", "default", "flex"}, "metadata": anything, "frequency_penalty": number, "presence_penalty": number,
	}}
}

// agentTools are the tools that the agent runs itself. Whatever the vendor would run, such as web_search, file_search, code_interpreter, mcp
// and shell with a container, is of another type.
func agentTools() variants {
	function := record{name: "function", keys: keys{"name": text, "description": text, "parameters": schema{}, "strict": yesNo}}
	free := keys{"name": text, "description": text, "format": anything}
	direct := maps.Clone(function.keys)
	direct["function"], direct["defer_loading"] = function, yesNo
	own := map[string]record{
		"function":    {keys: direct},
		"custom":      {keys: keys{"name": text, "description": text, "format": anything, "defer_loading": yesNo, "custom": record{name: "custom", keys: free}}},
		"local_shell": {keys: keys{}}, "apply_patch": {keys: keys{}},
		"tool_search": {keys: keys{"execution": byAgent, "description": text, "parameters": schema{}}},
	}
	within := typed("tool", own)
	own["namespace"] = record{keys: keys{"name": text, "description": text, "tools": list{within}}}
	return typed("tool", own)
}

// byAgent is who carries out a search for tools: the agent, and not the vendor.
var byAgent = words{"client"}

// format says in which form the model answers.
func format() variants {
	whole := keys{"name": text, "description": text, "schema": schema{}, "strict": yesNo}
	return typed("format", map[string]record{
		"text": {keys: keys{}}, "json_object": {keys: keys{}},
		"json_schema": {keys: keys{"name": text, "description": text, "schema": schema{}, "strict": yesNo, "json_schema": record{name: "json_schema", keys: whole}}},
	})
}

// never accepts false: the vendor would keep the conversation.
type never struct{}

func (never) check(_ *review, v value) error {
	if v != false {
		return refuse("is not false: nothing may be kept at the vendor")
	}
	return nil
}

// inline accepts a picture that is in the request. The vendor would fetch any other address.
var inline = scalar{"a picture in the request itself (data:)", func(v value) bool {
	s, ok := v.(string)
	return ok && strings.HasPrefix(s, "data:")
}}

// inlinePicture accepts an image. Its data costs by its size in pixels, which the API limits, and not by its bytes.
type inlinePicture struct {
	shape
	at []string // the keys that lead to it
}

func (p inlinePicture) check(r *review, v value) error {
	if err := p.shape.check(r, v); err != nil {
		return err
	}
	for _, key := range p.at {
		d, ok := v.(*dict)
		if !ok {
			return nil
		}
		v = d.get(key)
	}
	data, _ := v.(string)
	r.pixels += int64(len(data))
	return nil
}
