package agenttest

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/task"
)

// rule is a Rule ready for use.
type rule struct {
	Rule
	prompt, system func(string) bool
}

func (r *rule) fits(role task.Role, system string) bool {
	return (r.Role == "" || r.Role == role) && r.system(system)
}

// choose finds the rule for a conversation: one whose Match fits the newest prompt; else the one that has already answered in it (a
// resumed session may have another prompt); else one whose Match fits an earlier prompt; else one without a Match.
func choose(rules []*rule, r *request, system string) *rule {
	who, prompts := role(system), r.prompts()
	explicit := func(prompt string) *rule {
		for _, c := range rules {
			if c.Match != "" && c.fits(who, system) && c.prompt(prompt) {
				return c
			}
		}
		return nil
	}
	newest := len(prompts) - 1
	if newest >= 0 {
		if c := explicit(prompts[newest]); c != nil {
			return c
		}
	}
	if c := spoken(rules, r); c != nil {
		return c
	}
	for i := newest - 1; i >= 0; i-- {
		if c := explicit(prompts[i]); c != nil {
			return c
		}
	}
	if who == "" && len(r.Tools) == 0 {
		return nil // a side call of the agent program
	}
	for _, c := range rules {
		if c.Match == "" && c.fits(who, system) {
			return c
		}
	}
	return nil
}

// spoken returns the rule with the newest tool calls in the conversation.
func spoken(rules []*rule, r *request) *rule {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		for _, b := range r.Messages[i].Content {
			name, _, ok := parseToolID(b.ID)
			for _, c := range rules {
				if ok && c.Name == name {
					return c
				}
			}
		}
	}
	return nil
}

// due returns the index of the turn to answer with. A session that asks again after the last turn gets it again, because its worker may
// have died before saving it. That does not apply to a last turn with tool calls.
func (r *rule) due(q *request) (int, bool) {
	k := r.next(q)
	if k < len(r.Turns) {
		return k, true
	}
	last := len(r.Turns) - 1
	return last, len(r.Turns[last].Tools) == 0
}

// next returns the index of the rule's next turn: the one after the last complete turn in the conversation. A text without the tool calls
// of its turn was cut off in the stream, so that turn is repeated. Texts that the agent program inserts itself ("No response requested.")
// are ignored.
func (r *rule) next(q *request) int {
	at, results := 0, interrupted(q)
	for _, m := range q.Messages {
		if m.Role != "assistant" {
			continue
		}
		for _, b := range m.Content {
			name, k, ok := parseToolID(b.ID)
			switch {
			case ok && name == r.Name && k < len(r.Turns):
				at = k + 1
				if results[b.ID] && r.Turns[k].Redo {
					at = k
				}
			case b.Type == "text":
				if k, ok := r.said(b.Text, at); ok {
					at = k + 1
				}
			}
		}
	}
	return at
}

// said finds the turn, from at on, that ends with the text and calls no tool.
func (r *rule) said(text string, at int) (int, bool) {
	text = strings.TrimSpace(text)
	for k := at; k < len(r.Turns); k++ {
		t, last := r.Turns[k], r.Turns[k].Text
		if t.Answer != nil {
			last = string(t.Answer)
		}
		if len(t.Tools) == 0 && text != "" && text == strings.TrimSpace(last) {
			return k, true
		}
	}
	return 0, false
}

// lost is what Claude Code, OpenCode and Codex say of a call whose outcome they do not know.
var lost = regexp.MustCompile(`^(?:\[Tool call interrupted|\[Tool execution was interrupted\]|aborted$|Wall time: .*\naborted by user)`)

// interrupted returns the ids of tool calls whose outcome the agent program does not know.
func interrupted(q *request) map[string]bool {
	ids := map[string]bool{}
	for _, m := range q.Messages {
		for _, b := range m.Content {
			if b.Type == "tool_result" && lost.MatchString(b.Content.text()) {
				ids[b.ToolUseID] = true
			}
		}
	}
	return ids
}

var toolID = regexp.MustCompile(`^(?:toolu|call)_([A-Za-z0-9-]+)_([0-9]+)_`)

// toolCallID names a call so that the rule and turn can be read from the conversation later. The API wants ids to be unique
// within a conversation, so a turn that is said twice needs a serial.
func toolCallID(rule string, turn, n, serial int) string {
	return "toolu_" + rule + "_" + strconv.Itoa(turn) + "_" + strconv.Itoa(n) + "_" + strconv.Itoa(serial)
}

func parseToolID(id string) (rule string, turn int, ok bool) {
	m := toolID.FindStringSubmatch(id)
	if m == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(m[2])
	return m[1], n, err == nil
}
