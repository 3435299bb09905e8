package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// synthetic is the model name of messages that the binary wrote itself.
const synthetic = `"<synthetic>"`

// assistant reads one block of a model message. The stream has a line per block, each with the message's id.
func (r *reader) assistant(p parts) {
	var id, model, content, usage []byte
	if eachField(p.message, func(key, value []byte) {
		switch string(key) {
		case "id":
			id = value
		case "model":
			model = value
		case "content":
			content = value
		case "usage":
			usage = value
		}
	}) != nil {
		r.broken++
		return
	}
	if string(model) == synthetic {
		r.problem = apiProblem{kind: text(p.problem), text: blocksText(content, shown)}
		return
	}
	r.count(id, usage)
	sub := !isNull(p.parent)
	if eachElement(content, func(block []byte) { r.block(block, sub) }) != nil {
		r.broken++
	}
}

// count adds a message's tokens once. They are those known at its start; output tokens come only with the result.
func (r *reader) count(id, usage []byte) {
	if string(id) == r.last {
		return
	}
	r.last = string(id)
	r.seen.Calls++
	var u struct {
		Input      int64 `json:"input_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
	}
	if usage != nil && json.Unmarshal(usage, &u) == nil {
		r.seen = r.seen.Add(task.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
	}
}

func (r *reader) block(block []byte, sub bool) {
	var kind, said, thought, name, id, input []byte
	if eachField(block, func(key, value []byte) {
		switch string(key) {
		case "type":
			kind = value
		case "text":
			said = value
		case "thinking":
			thought = value
		case "name":
			name = value
		case "id":
			id = value
		case "input":
			input = value
		}
	}) != nil {
		r.broken++
		return
	}
	switch string(kind) {
	case `"text"`:
		if s := text(said); s != "" && !sub { // ignore the text of sub-agents
			r.events.Send(agent.Event{Kind: agent.Text, Text: s})
		}
	case `"thinking"`:
		if !sub {
			r.events.Send(agent.Event{Kind: agent.Thinking, Text: shortText(thought, shown)})
		}
	case `"tool_use"`:
		r.tools[text(id)] = text(name)
		call := excerpt.Clip(string(input[:min(len(input), shown+8)]), shown)
		r.events.Send(agent.Event{Kind: agent.ToolCall, Tool: text(name), ID: text(id), Text: call})
	}
}

// user reads tool results. Other content in the user's role was written by us or by the binary.
func (r *reader) user(p parts) {
	var content []byte
	if eachField(p.message, func(key, value []byte) {
		if string(key) == "content" {
			content = value
		}
	}) != nil {
		r.broken++
		return
	}
	if len(content) == 0 || content[0] != '[' {
		return
	}
	if eachElement(content, func(block []byte) { r.toolResult(block, p.meta) }) != nil {
		r.broken++
	}
}

func (r *reader) toolResult(block, meta []byte) {
	var kind, id, content, failed []byte
	if eachField(block, func(key, value []byte) {
		switch string(key) {
		case "type":
			kind = value
		case "tool_use_id":
			id = value
		case "content":
			content = value
		case "is_error":
			failed = value
		}
	}) != nil || string(kind) != `"tool_result"` {
		return
	}
	e := toolEnd{id: text(id), text: blocksText(content, shown), failed: isTrue(failed), meta: meta}
	r.events.Send(agent.Event{Kind: agent.ToolResult, ID: e.id, Text: e.text, Failed: e.failed})
	r.ends = append(r.ends, e)
}

// blocksText returns the text of content: a plain string, or the text blocks of a list.
func blocksText(content []byte, max int) string {
	if len(content) == 0 || content[0] != '[' {
		return shortText(content, max)
	}
	var b strings.Builder
	_ = eachElement(content, func(block []byte) {
		_ = eachField(block, func(key, value []byte) {
			if string(key) == "text" && b.Len() < max {
				if b.Len() > 0 {
					b.WriteByte('\n')
				}
				b.WriteString(shortText(value, max-b.Len()))
			}
		})
	})
	return b.String()
}

func retryText(kind string, status, attempt, max, delayMS int) string {
	what := strings.ReplaceAll(cmp.Or(kind, "unknown"), "_", " ")
	if status != 0 {
		what = fmt.Sprintf("%s (%d)", what, status)
	}
	return fmt.Sprintf("%s, try %d of %d in %.1f s", what, attempt, max, float64(delayMS)/1000)
}
