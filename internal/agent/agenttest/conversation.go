package agenttest

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/longshift/longshift/task"
)

// request is a call of the model, as far as a script needs it: a body of POST /v1/messages, or what says the same in another API.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	System    blocks    `json:"system"`
	Messages  []message `json:"messages"`
	Tools     []offer   `json:"tools"`

	Session string `json:"-"` // the id of the agent's session, "" when the request does not tell

	IncludeUsage bool `json:"-"` // at the end of a stream of Chat Completions
}

// offer is a tool that the model may call.
type offer struct {
	Name      string `json:"name"` // with that of its namespace, if any: namespace__name
	Namespace string `json:"-"`    // of the Responses API
}

type message struct {
	Role    string `json:"role"`
	Content blocks `json:"content"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   blocks          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

// blocks is content: the API takes a bare string for one block of text.
type blocks []block

func (b *blocks) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*b = blocks{{Type: "text", Text: text}}
		return nil
	}
	var list []block
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*b = list
	return nil
}

func (b blocks) text() string {
	var parts []string
	for _, x := range b {
		if x.Type == "text" {
			parts = append(parts, x.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// systemText is everything that was said to the model as system: the field and messages in between.
func (r *request) systemText() string {
	parts := []string{r.System.text()}
	for _, m := range r.Messages {
		if m.Role == "system" {
			parts = append(parts, m.Content.text())
		}
	}
	return strings.Join(parts, "\n")
}

// notPrompt are prefixes of texts in the user's role that the agent program has written itself.
var notPrompt = []string{
	"<system-reminder>", "[Request interrupted", "[Tool call interrupted", // Claude Code
	"<environment_context>", "# AGENTS.md instructions for ", "<turn_aborted>", // Codex
}

// prompts are the texts that a person (or our driver) sent, oldest first.
func (r *request) prompts() []string {
	var out []string
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}
		var parts []string
	next:
		for _, b := range m.Content {
			if b.Type != "text" || strings.TrimSpace(b.Text) == "" {
				continue
			}
			for _, start := range notPrompt {
				if strings.HasPrefix(strings.TrimSpace(b.Text), start) {
					continue next
				}
			}
			parts = append(parts, b.Text)
		}
		if len(parts) > 0 {
			out = append(out, strings.Join(parts, "\n"))
		}
	}
	return out
}

var roleLine = regexp.MustCompile(`(?m)^Role: ([a-z]+)\s*$`)

// role is the role that the system prompt names, "" when it names none. The last one named counts.
func role(system string) task.Role {
	all := roleLine.FindAllStringSubmatch(system, -1)
	if len(all) == 0 {
		return ""
	}
	return task.Role(all[len(all)-1][1])
}
