package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
)

// request is a conversation as the API takes it. What it makes of the entries before the last ones does not depend on what comes behind
// them, except for the marks up to which the API keeps the conversation in its cache.
func request(q transcript.Query) (p sdk.MessageNewParams, err error) {
	user, err := json.Marshal(map[string]string{"session_id": q.Session})
	if err != nil {
		return p, fault.New(fault.Internal, "%w", err)
	}
	p = sdk.MessageNewParams{Model: sdk.Model(agent.ModelName(q.Start.Model)), MaxTokens: int64(q.MaxOutput),
		Metadata: sdk.MetadataParam{UserID: sdk.String(string(user))},
		System:   []sdk.TextBlockParam{{Text: q.Start.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}}
	if budget := q.Start.Thinking; budget > 0 && agent.TakesBudget(agent.ModelName(q.Start.Model)) {
		p.Thinking = sdk.ThinkingConfigParamOfEnabled(int64(min(budget, q.MaxOutput-1)))
	}
	for _, t := range q.Start.Tools {
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{Name: t.Name, Description: sdk.String(t.Text),
			InputSchema: param.Override[sdk.ToolInputSchemaParam](t.Schema)}})
	}
	p.Messages = []sdk.MessageParam{sdk.NewUserMessage(first(q.Start)...)}
	for _, e := range q.Entries {
		if e.Summary != nil { // it stands for what came before
			p.Messages = []sdk.MessageParam{sdk.NewUserMessage(append(first(q.Start), sdk.NewTextBlock(e.Summary.Text))...)}
			continue
		}
		p.Messages = add(p.Messages, e)
	}
	mark(p.Messages)
	return p, nil
}

func first(s *transcript.Start) (blocks []sdk.ContentBlockParamUnion) {
	for _, i := range s.Images {
		blocks = append(blocks, sdk.NewImageBlockBase64(i.Type, base64.StdEncoding.EncodeToString(i.Data)))
	}
	return append(blocks, sdk.NewTextBlock(s.Prompt))
}

// add puts an entry at the end of the messages. The API wants users and models to take turns.
func add(messages []sdk.MessageParam, e transcript.Entry) []sdk.MessageParam {
	if e.Answer != nil {
		return append(messages, sdk.MessageParam{Role: sdk.MessageParamRoleAssistant, Content: content(e.Answer.Raw)})
	}
	var blocks []sdk.ContentBlockParamUnion
	if e.Results != nil {
		for _, r := range e.Results.List {
			blocks = append(blocks, sdk.NewToolResultBlock(r.Call, r.Content, r.Failed))
		}
		if e.Results.Note != "" {
			blocks = append(blocks, sdk.NewTextBlock(e.Results.Note))
		}
	}
	if e.Said != nil && e.Said.Text != "" {
		blocks = append(blocks, sdk.NewTextBlock(e.Said.Text))
	}
	if last := &messages[len(messages)-1]; last.Role == sdk.MessageParamRoleUser {
		last.Content = append(last.Content, blocks...)
		return messages
	}
	return append(messages, sdk.NewUserMessage(blocks...))
}

// content is an answer's own content, block by block as the API has sent it.
func content(raw json.RawMessage) (blocks []sdk.ContentBlockParamUnion) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for _, b := range list {
		blocks = append(blocks, param.Override[sdk.ContentBlockParamUnion](b))
	}
	return blocks
}

// mark has the API keep the conversation up to its last two user messages. A mark changes no text of the prefix.
func mark(messages []sdk.MessageParam) {
	left := 2
	for i := len(messages) - 1; i >= 0 && left > 0; i-- {
		if messages[i].Role != sdk.MessageParamRoleUser {
			continue
		}
		blocks := messages[i].Content
		if len(blocks) == 0 {
			continue
		}
		if c := blocks[len(blocks)-1].GetCacheControl(); c != nil {
			*c = sdk.NewCacheControlEphemeralParam()
			left--
		}
	}
}

// Old results of tools are left out by the API when a conversation takes three fifths of what the model takes: they can be read again.
const keptCalls = 12

// clearing asks the API to leave old results of tools out of a long conversation. What is sent stays the same, so what the API has in its
// cache stays good until it does. Servers that only speak like it are not asked.
func clearing(model string, context int) []option.RequestOption {
	if !strings.HasPrefix(agent.ModelName(model), "claude-") || context == 0 {
		return nil
	}
	type amount struct {
		Type  string `json:"type"`
		Value int    `json:"value"`
	}
	edit := map[string]any{"type": "clear_tool_uses_20250919", "trigger": amount{"input_tokens", context * 3 / 5}, "keep": amount{"tool_uses", keptCalls},
		"clear_at_least": amount{"input_tokens", context / 10}}
	return []option.RequestOption{option.WithHeader("anthropic-beta", "context-management-2025-06-27"),
		option.WithJSONSet("context_management", map[string]any{"edits": []any{edit}})}
}
