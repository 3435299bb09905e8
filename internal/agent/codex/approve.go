package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// verdicts are the answers to a question in its method's words.
type verdicts struct{ accept, decline, cancel any }

var (
	forCalls   = verdicts{decision("accept"), decision("decline"), decision("cancel")}
	forReports = verdicts{map[string]any{"action": "accept", "content": map[string]any{}}, action("decline"), action("cancel")}
)

func decision(d string) map[string]any { return map[string]any{"decision": d} }
func action(a string) map[string]any   { return map[string]any{"action": a} }

// question handles a request of the binary. It never blocks: goroutines that end with ctx send the answers. An error means that the session
// must be stopped.
func (a *attempt) question(ctx context.Context, m *jsonrpc.Message) error {
	a.calls.ask(string(m.ID))
	switch m.Method {
	case "item/commandExecution/requestApproval":
		return a.approve(ctx, m, kindCommand)
	case "item/fileChange/requestApproval":
		return a.approve(ctx, m, kindPatch)
	case "mcpServer/elicitation/request":
		var e elicitation
		if json.Unmarshal(m.Params, &e) == nil && e.Meta.Kind == "mcp_tool_call" {
			if c := a.calls.report(e); c != nil {
				a.answers.Go(func() { a.decide(ctx, m.ID, "", c, forReports) })
				return nil
			}
		}
		a.answer(m.ID, action("decline"))
	case "item/permissions/requestApproval":
		a.answer(m.ID, map[string]any{"permissions": map[string]any{}, "scope": "turn"}) // none
	default:
		a.calls.answering(string(m.ID))
		a.conn.Refuse(m.ID, "not supported: "+m.Method)
	}
	return nil
}

func (a *attempt) answer(id json.RawMessage, result any) {
	a.calls.answering(string(id))
	a.conn.Reply(id, result)
}

// approve has a command or a patch decided on. A question that would grant more than this one call is declined.
func (a *attempt) approve(ctx context.Context, m *jsonrpc.Message, kind string) error {
	var p approval
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return fault.New(fault.Internal, "codex asks in another way: %w", err)
	}
	if p.Kind != "" && p.Kind != "command" || p.ApprovalID != nil || p.Root != nil || set(p.More) || set(p.Network) {
		a.report.Send(agent.Event{Kind: agent.Denied, ID: p.Item, Tool: "Bash", Text: "only a single call can be allowed"})
		a.answer(m.ID, decision("decline"))
		return nil
	}
	c := a.calls.question(p.Item, kind)
	if c == nil {
		return fault.New(fault.Internal, "codex asks about a call that it has not told of, or asks twice: %s", p.Item)
	}
	if !hides(c.item.Command, p.Command) || p.Dir != c.item.Dir {
		return fault.New(fault.Internal, "codex asks about another command than it has told of: %s", excerpt.Clip(p.Command, 400))
	}
	if p.Command != c.item.Command {
		a.calls.reveal(c, p.Command)
	}
	a.answers.Go(func() { a.decide(ctx, m.ID, p.Turn, c, forCalls) })
	return nil
}

func set(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// decide asks about each call of an item and answers: the item is accepted if all of them are allowed. It does not answer when ctx ends
// first. The binary passes no reason on to the model, so that is said in the turn, before the model sees the refusal.
func (a *attempt) decide(ctx context.Context, question json.RawMessage, turn string, c *calling, say verdicts) {
	var notes []string
	for _, call := range c.calls {
		if a.calls.Over() != nil {
			return // the binary gives the question up
		}
		d := program.Decide(ctx, a.s, call)
		if ctx.Err() != nil || d.End == "" && a.calls.Over() != nil {
			return // the session is being stopped; a refusal would make the model continue
		}
		if d.End != "" {
			a.endBy(question, c, call, d, say)
			return
		}
		if !d.Allow {
			a.calls.decided(c, false, d.Reason)
			a.report.Send(agent.Event{Kind: agent.Denied, Tool: call.Tool, ID: call.ID, Text: d.Reason})
			a.steer(ctx, turn, fmt.Sprintf("The call of %s was refused: %s", call.Tool, d.Reason), func() { a.answer(question, say.decline) })
			return
		}
		if d.Reason != "" {
			notes = append(notes, fmt.Sprintf("About the call of %s: %s", call.Tool, d.Reason))
		}
	}
	if len(c.calls) == 0 { // a patch that names no file
		a.answer(question, say.decline)
		return
	}
	a.calls.decided(c, true, "")
	accept := func() { a.answer(question, say.accept) }
	if notes == nil {
		accept()
		return
	}
	a.steer(ctx, turn, strings.Join(notes, "\n"), accept)
}
