package agenttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
)

// chatAPI is OpenAI's POST /v1/chat/completions.
type chatAPI struct{}

type chatBody struct {
	openaiBody
	Messages            []chatMessage `json:"messages"`
	MaxTokens           int           `json:"max_tokens"`
	MaxCompletionTokens int           `json:"max_completion_tokens"`
	Tools               []chatTool    `json:"tools"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// chatTool is a tool that is offered, and a call of one.
type chatTool struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Custom struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	} `json:"custom"`
}

func (t chatTool) name() string { return t.Function.Name + t.Custom.Name } // it has one of them

type chatMessage struct {
	Role       string     `json:"role"`
	Content    blocks     `json:"content"`
	ToolCalls  []chatTool `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

func (chatAPI) read(header http.Header, body []byte) (request, error) {
	var b chatBody
	if err := json.Unmarshal(body, &b); err != nil {
		return request{}, fmt.Errorf("body is not a request: %w", err)
	}
	q := request{Model: b.Model, MaxTokens: max(b.MaxTokens, b.MaxCompletionTokens), Stream: b.Stream, Session: b.sessionOf(header),
		IncludeUsage: b.StreamOptions.IncludeUsage}
	for _, m := range b.Messages {
		q.Messages = append(q.Messages, m.message())
	}
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, offer{Name: t.name()})
	}
	if err := describedAs("ChatCompletionNewParams", body); err != nil {
		return q, err
	}
	return q, b.validate()
}

// validate holds that the calls of a message have their results right after it.
func (b *chatBody) validate() error {
	c := newCalls("tool_call", "message of the role tool")
	for i, m := range b.Messages {
		var err error
		if m.Role == "tool" {
			err = c.end(m.ToolCallID)
		} else {
			err = c.closed()
		}
		for _, t := range m.ToolCalls {
			err = cmp.Or(err, c.begin(t.ID))
		}
		if err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	return c.closed()
}

// message is the message as the Messages API would have it.
func (m chatMessage) message() message {
	content := openaiText(m.Content)
	switch m.Role {
	case "developer":
		m.Role = "system"
	case "assistant":
		for _, t := range m.ToolCalls {
			content = append(content, block{Type: "tool_use", ID: t.ID, Name: t.name(), Input: jsonOf(t.Function.Arguments + t.Custom.Input)})
		}
	case "tool":
		m.Role, content = "user", blocks{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: content}}
	}
	return message{m.Role, content}
}

func (chatAPI) reply(a answer) reply { return chatReply{a} }

func (chatAPI) refusal(f *Fault) []byte { return openaiRefusal(f) }
