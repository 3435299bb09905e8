package agenttest

import (
	"cmp"
	"crypto/rand"
	"slices"

	"github.com/longshift/longshift/task"
)

// answerTools are those by which agents hand in a plan and a review: Claude Code and Codex, OpenCode, our own agent.
var answerTools = []string{"mcp__longshift__plan_submit", "mcp__longshift__review_submit",
	"longshift_plan_submit", "longshift_review_submit", "plan_submit", "review_submit"}

// answerTool returns the tool for a structured answer that is offered, "" for none. A deferred one is not seen: the role tells.
func answerTool(q *request) string {
	for _, name := range answerTools {
		if offered(q, name) {
			return name
		}
	}
	if slices.Contains(q.deferred(), "mcp__longshift") {
		return map[task.Role]string{task.Planner: answerTools[0], task.Reviewer: answerTools[1]}[role(q.systemText())]
	}
	return ""
}

// answer is one message of the model to be sent. Its content is in the blocks of the Messages API, which each API writes in its own way.
type answer struct {
	id, model, stop string
	content         []map[string]any
	usage           task.Usage
	asked           *request
}

func newAnswer(q *request) answer {
	return answer{id: rand.Text(), model: q.Model, stop: "end_turn", asked: q}
}

// answerFor builds the message of turn k.
func (r *rule) answerFor(q *request, k int) answer {
	t, a := r.Turns[k], newAnswer(q)
	a.usage = t.Usage
	if a.usage.Input+a.usage.Output+a.usage.CacheRead+a.usage.CacheWrite == 0 {
		a.usage = task.Usage{Input: 100, Output: 50}
	}
	if t.Thinking != "" {
		a.content = append(a.content, map[string]any{"type": "thinking", "thinking": t.Thinking, "signature": "c2NyaXB0ZWQ="})
	}
	if t.Text != "" {
		a.content = append(a.content, map[string]any{"type": "text", "text": t.Text})
	}
	serial := said(q, r.Name, k)
	call := func(i int, name string, input any) {
		a.content = append(a.content, map[string]any{"type": "tool_use", "id": toolCallID(r.Name, k, i, serial), "name": name, "input": input})
	}
	for i, tool := range t.Tools {
		if tool.Text != "" {
			call(i, tool.Name, tool.Text)
		} else {
			call(i, tool.Name, tool.Input)
		}
	}
	if t.Answer != nil {
		if tool := answerTool(q); tool != "" {
			call(len(t.Tools), tool, t.Answer)
		} else {
			a.content = append(a.content, map[string]any{"type": "text", "text": string(t.Answer)})
		}
	}
	for _, c := range a.content {
		if c["type"] == "tool_use" {
			a.stop = "tool_use"
		}
	}
	a.stop = cmp.Or(t.Stop, a.stop)
	return a
}

// helperAnswer answers a side call of the agent program, for example for a title. It costs nothing, so that sums match the script.
func helperAnswer(q *request) answer {
	a := newAnswer(q)
	a.content = []map[string]any{{"type": "text", "text": "ok"}}
	return a
}

func offered(q *request, tool string) bool {
	for _, t := range q.Tools {
		if t.Name == tool {
			return true
		}
	}
	return false
}

// said counts how often the conversation contains the turn's calls.
func said(q *request, rule string, turn int) int {
	n := 0
	for _, m := range q.Messages {
		for _, b := range m.Content {
			if name, k, ok := parseToolID(b.ID); ok && name == rule && k == turn {
				n++
			}
		}
	}
	return n
}
