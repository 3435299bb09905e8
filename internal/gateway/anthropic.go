package gateway

type keys = map[string]shape

// Tokens that part of a request may cost beyond its size in bytes, and those that it usually costs. An abandoned call is booked with the
// latter, which are many for a PDF: else thousands of PDFs would be almost free.
const (
	imageTokens    = 5_000
	imageUsual     = 1_600
	documentTokens = maxPrompt // a PDF of a few kilobytes may have a thousand pages
	documentUsual  = 200_000   // as much as many models take
)

// anthropic is the part of the Messages API that agents use. Every beta, key and type here is sent by a tested agent
// version, or is of the same kind as one that is. None of them lets the vendor contact a host, run code, read a file or
// ask another model.
func anthropic(granted []serverTool) vendor {
	cache := record{name: "cache_control", keys: keys{"type": words{"ephemeral"}, "ttl": words{"5m", "1h"}, "scope": text}}
	source := typed("source", map[string]record{
		"base64": {keys: keys{"media_type": text, "data": text}},
		"text":   {keys: keys{"media_type": text, "data": text}},
	})
	tools := typed("tool", map[string]record{
		"":              {keys: customTool(cache)},
		"custom":        {keys: customTool(cache)},
		"bash_*":        {keys: keys{"name": text, "cache_control": cache}}, // run by the agent, like all tools here
		"text_editor_*": {keys: keys{"name": text, "cache_control": cache, "max_characters": integer}},
		"memory_*":      {keys: keys{"name": text, "cache_control": cache}},
	})
	reference := typed("reference", map[string]record{
		"tool_reference":  {keys: keys{"name": text}},
		"tool_definition": {keys: keys{"definition": tools}},
	})
	var block variants
	content := textOr{list{&block}}
	block = typed("block", map[string]record{
		"text":              {keys: keys{"text": text, "cache_control": cache}},
		"image":             {keys: keys{"source": source, "cache_control": cache}, tokens: imageTokens, usual: imageUsual},
		"document":          {keys: keys{"source": source, "title": text, "context": text, "cache_control": cache}, tokens: documentTokens, usual: documentUsual},
		"thinking":          {keys: keys{"thinking": text, "signature": text}},
		"redacted_thinking": {keys: keys{"data": text}},
		"tool_use":          {keys: keys{"id": text, "name": text, "input": anything, "cache_control": cache}},
		"tool_result":       {keys: keys{"tool_use_id": text, "content": content, "is_error": yesNo, "cache_control": cache}},
		"tool_reference":    {keys: keys{"tool_name": text, "cache_control": cache}},
		"tool_addition":     {keys: keys{"tool": reference, "cache_control": cache}},
		"tool_removal":      {keys: keys{"tool": reference, "cache_control": cache}},
	})
	block.by["image"] = picture{block.by["image"]}
	effort := record{name: "output_config", keys: keys{
		"effort": text,
		"format": typed("format", map[string]record{"json_schema": {keys: keys{"schema": schema{}}}}),
	}}
	betas := []string{
		"claude-code-20250219", "oauth-2025-04-20", "interleaved-thinking-2025-05-14", "context-1m-2025-08-07", "effort-2025-11-24",
		"fine-grained-tool-streaming-2025-05-14", "structured-outputs-2025-12-15", "advanced-tool-use-2025-11-20", "fast-mode-2026-02-01",
		"context-management-2025-06-27", "extended-cache-ttl-2025-04-11", "prompt-caching-scope-2026-01-05", "cache-diagnosis-2026-04-07",
		"mid-conversation-system-2026-04-07", "mid-conversation-tool-changes-2026-07-01", "per-turn-control-2026-07-01",
		"redact-thinking-2026-02-12", "thinking-token-count-2026-05-13", "thinking-display-updates-2026-08-18",
		"thinking-binding-controls-2026-08-01", "structured-outputs-2025-11-13", // OpenCode's
	}
	for _, t := range grantable {
		tools.by[t.kind] = ungranted{t.name}
	}
	for _, t := range granted {
		tools.by[t.kind] = t
		betas = append(betas, t.beta)
	}
	body := record{keys: keys{
		"model": modelName{}, "max_tokens": integer, "stream": yesNo, "temperature": number, "top_p": number, "top_k": integer,
		"stop_sequences": list{text}, "speed": words{"standard", "fast"}, "inference_geo": words{"us", "global"},
		"service_tier": words{"auto", "standard_only"}, "metadata": record{name: "metadata", keys: keys{"user_id": text}},
		"system": content, "cache_control": cache, "tools": list{tools}, "output_config": effort,
		"messages": list{record{name: "message", keys: keys{
			"role": words{"user", "assistant", "system"}, "content": content, "output_config": effort,
		}}},
		"tool_choice": record{name: "tool_choice", keys: keys{
			"type": words{"auto", "any", "tool", "none"}, "name": text, "disable_parallel_tool_use": yesNo,
		}},
		"thinking": record{name: "thinking", keys: keys{
			"type": words{"enabled", "adaptive", "disabled"}, "budget_tokens": integer, "display": text,
			"block_binding": record{name: "thinking.block_binding", keys: keys{"prefix_mismatch_behavior": text}},
		}},
		"context_management": record{name: "context_management", keys: keys{"edits": list{typed("edit", map[string]record{
			"clear_thinking_*": {keys: keys{"keep": anything}},
			"clear_tool_uses_*": {keys: keys{"trigger": anything, "keep": anything, "clear_at_least": anything, "exclude_tools": list{text},
				"clear_tool_inputs": anything}},
		})}}},
		"diagnostics": record{name: "diagnostics", keys: keys{"previous_message_id": text}},
	}}
	return vendor{
		usual: DefaultUpstream, list: DefaultPrices, first: "/v1/messages", posts: map[string]route{"/v1/messages": messages, "/v1/messages/count_tokens": count},
		fixed: map[string]string{"Anthropic-Version": apiVersion}, bodies: map[route]shape{messages: body, count: body},
		bound: boundMessage, events: messageEvent, longest: maxEvent, usage: messageUsage, limit: anthropicLimit, models: modelList, helpers: claudeName,
		header: []string{
			"Accept", "User-Agent", "Anthropic-Dangerous-Direct-Browser-Access", "X-App", "X-Client-Request-Id", "X-Claude-1p-Request-Class",
			"X-Claude-Code-Agent-Id", "X-Claude-Code-Agent-Type", "X-Claude-Code-Auxiliary-Type", "X-Claude-Code-Compaction",
			"X-Claude-Code-Context-Compacted", "X-Claude-Code-Parent-Agent-Id", "X-Claude-Code-Prev-Tool-Durations", "X-Claude-Code-Prompt-Id",
			"X-Claude-Code-Request-Class", "X-Claude-Code-Sandy-Plover", "X-Claude-Code-Session-Id", "X-Stainless-Arch", "X-Stainless-Helper",
			"X-Stainless-Helper-Method", "X-Stainless-Lang", "X-Stainless-Os", "X-Stainless-Package-Version", "X-Stainless-Retry-Count",
			"X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Timeout",
		},
		betas: betas,
	}
}

// customTool is the definition of a tool that the agent runs itself.
func customTool(cache shape) keys {
	return keys{"name": text, "description": text, "input_schema": schema{}, "cache_control": cache,
		"strict": yesNo, "defer_loading": yesNo, "eager_input_streaming": yesNo}
}
