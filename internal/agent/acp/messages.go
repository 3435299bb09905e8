package acp

import (
	"encoding/json"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Kinds of updates.
const (
	Message     = "agent_message_chunk"
	Thought     = "agent_thought_chunk"
	ToolCall    = "tool_call"
	ToolUpdated = "tool_call_update"
)

// States of a call.
const (
	InProgress = "in_progress"
	Completed  = "completed"
	Failed     = "failed"
)

// Update is something that an agent tells. Which fields are set depends on Kind.
type Update struct {
	Kind    string          `json:"sessionUpdate"`
	Message string          `json:"messageId"` // of chunks: which message they are part of
	Content json.RawMessage `json:"content"`   // of a chunk, or of a call
	Call                    // of calls
}

// Call is a call of a tool, as far as the agent has told.
type Call struct {
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	Status    string          `json:"status"`
	Input     json.RawMessage `json:"rawInput"`
	Output    json.RawMessage `json:"rawOutput"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
}

// block is a part of the content of a chunk or of a call. That of a call is nested.
type block struct {
	Text    string `json:"text"`
	Content struct {
		Text string `json:"text"`
	} `json:"content"`
	Path    string `json:"path"` // of a diff
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
	Type    string `json:"type"`
}

// Text is the text of the content.
func (u Update) Text() string {
	var one block
	if json.Unmarshal(u.Content, &one) == nil {
		return one.Text
	}
	var texts []string
	for _, b := range blocks(u.Content) {
		if text := b.Text + b.Content.Text; text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

func blocks(content json.RawMessage) (list []block) {
	_ = json.Unmarshal(content, &list) // content of another form has none
	return list
}

// Question is a request for permission to make one call.
type Question struct {
	id      json.RawMessage
	Call    QuestionCall `json:"toolCall"`
	Options []option     `json:"options"`
}

// QuestionCall is the call that a question is about, with the changes of files that it would make.
type QuestionCall struct {
	Call
	Content json.RawMessage `json:"content"`
}

// Diff is a change of one file.
type Diff struct{ Path, Old, New string }

// Diffs are the changes of files that a call would make, as far as the agent tells.
func (c QuestionCall) Diffs() (list []Diff) {
	for _, b := range blocks(c.Content) {
		if b.Type == "diff" {
			list = append(list, Diff{Path: b.Path, Old: b.OldText, New: b.NewText})
		}
	}
	return list
}

// option is an answer that the agent takes.
type option struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
}

// AllowsOne tells whether the agent takes an answer that allows the one call and no more.
func (q Question) AllowsOne() bool { return q.option("allow_once") != nil }

func (q Question) option(kind string) *option {
	for i, o := range q.Options {
		if o.Kind == kind {
			return &q.Options[i]
		}
	}
	return nil
}

// Answer allows the one call or refuses it. It never allows more than that; where the agent offers no such answer, the question is given up.
func (c *Client) Answer(q Question, allow bool) {
	kind := "reject_once"
	if allow {
		kind = "allow_once"
	}
	o := q.option(kind)
	if o == nil {
		c.GiveUp(q)
		return
	}
	c.conn.Reply(q.id, map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.ID}})
}

// GiveUp answers a question of a turn that was canceled.
func (c *Client) GiveUp(q Question) {
	c.conn.Reply(q.id, map[string]any{"outcome": map[string]any{"outcome": "cancelled"}})
}

func unreadable(method string, err error) error {
	return fault.New(fault.Internal, "the agent describes %s in another way: %w", method, err)
}
