package codex

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/excerpt"
)

// shown is how many bytes of a call's input and of its result events have.
const shown = 4 << 10

// itemBegins reports a call that is about to be made. A command that runs already was not asked about.
func (a *attempt) itemBegins(it item) error {
	if err := checkItem(it); err != nil {
		return err
	}
	if it.Type == "imageView" {
		c := program.NewCall(it.ID, "ViewImage", "", map[string]any{"path": it.Path})
		a.report.Send(agent.Event{Kind: agent.ToolCall, Tool: c.Tool, ID: it.ID, Text: string(c.Input)})
	}
	list := callsOf(it)
	if list == nil && it.Type != kindPatch {
		return nil
	}
	fresh, err := a.calls.begin(&calling{item: it, calls: list})
	if err != nil || !fresh {
		return err
	}
	for _, c := range list {
		a.report.Send(agent.Event{Kind: agent.ToolCall, Tool: c.Tool, ID: c.ID, Text: excerpt.Clip(string(c.Input), shown)})
	}
	if it.Type == kindCommand && (it.Process != nil || it.Status != "inProgress") || it.Type == kindPatch && it.Status != "inProgress" {
		return a.calls.mayRun(it.ID)
	}
	return nil
}

// itemEnds reports what the model has said, or how a call has ended, and compares that with the decision on it.
func (a *attempt) itemEnds(it item) error {
	if err := checkItem(it); err != nil {
		return err
	}
	switch it.Type {
	case "agentMessage":
		if !a.finished() {
			a.report.say(it.Text)
		}
		return nil
	case "reasoning":
		if text := it.thought(); text != "" {
			a.report.Send(agent.Event{Kind: agent.Thinking, Text: excerpt.Clip(text, shown)})
		}
		return nil
	case "imageView":
		a.report.Send(agent.Event{Kind: agent.ToolResult, ID: it.ID})
		return nil
	case kindCommand, kindPatch, kindReport:
	default:
		return nil
	}
	if it.ran() {
		if err := a.calls.mayRun(it.ID); err != nil {
			return err
		}
	}
	c, _ := a.calls.find(it.ID)
	for _, call := range c.calls {
		a.report.Send(agent.Event{Kind: agent.ToolResult, ID: call.ID, Text: excerpt.Clip(it.result(c.reason), shown), Failed: it.failed()})
	}
	if it.Type == kindReport && a.finished() { // a further call of the model may have begun; it is broken off
		if id := a.turn.Load(); id != nil {
			a.interruptTurn(*id)
		}
		a.stopAfter(a.d.cfg.Grace)
	}
	return nil
}

// ran tells whether a call was made, or begun.
func (it item) ran() bool {
	switch it.Type {
	case kindCommand:
		return it.Status == "completed" || it.Process != nil || it.ExitCode != nil
	case kindPatch:
		return it.Status != "declined"
	}
	return it.Status == "completed" || it.Result != nil
}

func (it item) failed() bool {
	return it.Status != "completed" || it.ExitCode != nil && *it.ExitCode != 0
}

// result is what a call has come back with.
func (it item) result(refusal string) string {
	var b strings.Builder
	switch {
	case refusal != "":
		b.WriteString("refused: " + refusal)
	case it.Output != nil:
		b.WriteString(*it.Output)
	case it.Error != nil:
		b.WriteString(it.Error.Message)
	case it.Result != nil:
		for _, part := range it.Result.Content {
			b.WriteString(part.Text)
		}
	}
	if it.ExitCode != nil && *it.ExitCode != 0 {
		return strings.TrimSuffix(b.String(), "\n") + fmt.Sprintf("\nexit code %d", *it.ExitCode)
	}
	return b.String()
}

// thought is the text of reasoning, as far as the endpoint shows it.
func (it item) thought() string {
	var whole []string
	if json.Unmarshal(it.Content, &whole) == nil && len(whole) > 0 {
		return strings.Join(whole, "\n")
	}
	return strings.Join(it.Summary, "\n")
}

// finished tells whether the agent has reported the end of the session.
func (a *attempt) finished() bool { return a.s.Reports != nil && a.s.Reports.Ended() }
