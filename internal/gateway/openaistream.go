package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// openAIStreamed is an event of a stream of either API: its output, or the usage and the end of the answer.
type openAIStreamed struct {
	openAIAnswer
	Type     string        `json:"type"`
	Response *openAIAnswer `json:"response"` // at the beginning and the end of one of the Responses API

	Delta   size `json:"delta"`
	Choices []struct {
		Delta struct {
			Content   size `json:"content"`
			Refusal   size `json:"refusal"`
			Reasoning size `json:"reasoning"`         // at some servers
			Thoughts  size `json:"reasoning_content"` // the same at others; those who send both say the same in both
			Calls     []struct {
				Function struct {
					Name      size `json:"name"`
					Arguments size `json:"arguments"`
				} `json:"function"`
				Custom struct {
					Name  size `json:"name"`
					Input size `json:"input"`
				} `json:"custom"`
			} `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

// size is the length of a text in bytes, or of whatever stands in its place.
type size int64

// UnmarshalJSON never fails.
func (n *size) UnmarshalJSON(value []byte) error {
	var text string
	switch {
	case bytes.Equal(value, null):
		*n = 0
	case json.Unmarshal(value, &text) == nil:
		*n = size(len(text))
	default:
		*n = size(len(value))
	}
	return nil
}

var (
	null     = []byte("null")
	doneWord = []byte("[DONE]")
)

// output is how much of the model's output an event has, in bytes. An event is many times as long. It has a token at least, however short.
func (e *openAIStreamed) output() int64 {
	n := e.Delta
	for _, c := range e.Choices {
		n += c.Delta.Content + c.Delta.Refusal + max(c.Delta.Reasoning, c.Delta.Thoughts)
		for _, call := range c.Delta.Calls {
			n += call.Function.Name + call.Function.Arguments + call.Custom.Name + call.Custom.Input
		}
	}
	if n == 0 {
		return 0
	}
	return max(int64(n), guessBytes)
}

// openAIEvent reads an event of a stream of either API.
func openAIEvent(m *streamMeter, data []byte) {
	if bytes.Equal(bytes.TrimSpace(data), doneWord) {
		m.read.over, m.read.complete = true, m.read.complete || m.read.seen
		return
	}
	var e openAIStreamed
	err := json.Unmarshal(data, &e)
	m.read.text += e.output() // also of one that has a number where a text should be
	if err != nil {
		return
	}
	if e.Response != nil {
		e.Model, e.Usage, e.Error = e.Response.Model, e.Response.Usage, cmp.Or(e.Response.Error, e.Error)
	}
	m.read.model = cmp.Or(e.Model, m.read.model)
	if e.Usage != nil {
		m.merge(new(e.Usage.common()))
	}
	switch {
	case e.Error != nil || e.Type == "error" || e.Type == "response.failed":
		m.read.failed = cmp.Or(e.Error, &openAIError{}).name()
		m.read.complete = e.Type == "response.failed" && m.read.seen
	case e.Type == "response.completed" || e.Type == "response.incomplete":
		m.read.over, m.read.complete = true, true
	case e.Usage != nil && e.Choices != nil && len(e.Choices) == 0: // the last event of a chat; [DONE] alone may follow
		m.read.complete = true
	}
}
