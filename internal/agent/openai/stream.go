package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// mostLine limits an event of a stream, in bytes.
const mostLine = 32 << 20

// stream is an answer as it arrives.
type stream struct {
	text, refusal, reasoning strings.Builder
	calls                    []call // as they began
	stop                     string
	usage                    task.Usage
	ended                    bool
}

// call is a call of a tool, whose parts come in several events.
type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`

	index int
}

// event is one of a stream.
type event struct {
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			Refusal   string `json:"refusal"`
			Reasoning string `json:"reasoning_content"`
			Calls     []struct {
				Index int `json:"index"`
				call
			} `json:"tool_calls"`
		} `json:"delta"`
		Stop string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Details    struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error *said `json:"error"`
}

// read reads the whole stream. One that ends before its end is a failure of the moment.
func (s *stream) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), mostLine)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if data = bytes.TrimSpace(data); !ok || len(data) == 0 {
			continue
		}
		if string(data) == "[DONE]" {
			s.ended = true
			break
		}
		var e event
		if err := json.Unmarshal(data, &e); err != nil {
			return fault.New(fault.Infra, "the model's answer can't be read: %w", err)
		}
		if e.Error != nil {
			return e.Error.failure(http.StatusInternalServerError, nil) // whatever it is, the answer is not complete
		}
		s.take(e)
	}
	if err := lines.Err(); err != nil {
		return &momentary{fault.New(fault.Infra, "the model's answer was cut off: %w", err)}
	}
	if !s.ended || s.stop == "" {
		return &momentary{fault.New(fault.Infra, "the model's answer was cut off")}
	}
	return nil
}

func (s *stream) take(e event) {
	if u := e.Usage; u != nil {
		cached := min(u.Details.Cached, u.Prompt)
		s.usage = task.Usage{Input: u.Prompt - cached, Output: u.Completion, CacheRead: cached}
	}
	if len(e.Choices) == 0 {
		return
	}
	c := e.Choices[0]
	s.text.WriteString(c.Delta.Content)
	s.refusal.WriteString(c.Delta.Refusal)
	s.reasoning.WriteString(c.Delta.Reasoning)
	s.stop = cmp.Or(c.Stop, s.stop)
	for _, part := range c.Delta.Calls {
		one := s.callOf(part.Index, part.call)
		one.ID = cmp.Or(one.ID, part.ID)
		one.Function.Name += part.Function.Name
		one.Function.Arguments += part.Function.Arguments
	}
}

// callOf is the call that a part belongs to: the last one with its index, or a new one. Some servers give every call the same index, so another
// id begins a call too. It has to come with the name of a tool, because others make up an id for each part.
func (s *stream) callOf(index int, part call) *call {
	for i := range slices.Backward(s.calls) {
		c := &s.calls[i]
		if c.index != index {
			continue
		}
		if part.ID != "" && c.ID != "" && part.ID != c.ID && part.Function.Name != "" {
			break
		}
		return c
	}
	s.calls = append(s.calls, call{Type: "function", index: index})
	return &s.calls[len(s.calls)-1]
}

// answer is the complete answer, with the message that goes back to the API.
func (s *stream) answer() (transcript.Answer, error) {
	a := transcript.Answer{Text: s.text.String(), Stop: s.stop, Cut: s.stop == "length", Usage: s.usage,
		Refused: s.stop == "content_filter" || s.refusal.Len() > 0}
	back := message{Role: "assistant"}
	if a.Text != "" {
		back.Content = a.Text
	}
	if s.reasoning.Len() > 0 {
		back.Reasoning, _ = json.Marshal(s.reasoning.String()) // text always can be encoded
	}
	seen := map[string]bool{}
	for i := range s.calls {
		c := &s.calls[i]
		if seen[c.ID] || c.ID == "" {
			return a, fault.New(fault.Infra, "the model's answer has two calls with the id %q", c.ID)
		}
		seen[c.ID] = true
		arguments := transcript.Arguments(json.RawMessage(c.Function.Arguments))
		c.Function.Arguments = string(arguments)
		a.Calls = append(a.Calls, transcript.Call{ID: c.ID, Tool: c.Function.Name, Arguments: arguments})
	}
	var err error
	if len(s.calls) > 0 {
		back.Calls, err = json.Marshal(s.calls)
	}
	if err == nil {
		a.Raw, err = json.Marshal(back)
	}
	if err != nil {
		return a, fault.New(fault.Internal, "encode the model's answer: %w", err)
	}
	return a, nil
}
