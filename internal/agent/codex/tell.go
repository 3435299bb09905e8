package codex

import (
	"context"
	"encoding/json"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
)

// endBy ends the session by a decision: the call is not made, and the model is not called again.
func (a *attempt) endBy(question json.RawMessage, c *calling, call agent.Call, d agent.Decision, say verdicts) {
	if !a.calls.End(d) {
		return // another one ends it already
	}
	a.calls.decided(c, false, d.Reason)
	a.report.Send(agent.Event{Kind: agent.Denied, Tool: call.Tool, ID: call.ID, Text: d.Reason})
	a.stopAfter(2 * a.d.cfg.Grace)
	a.answer(question, say.cancel)
	if id := a.turn.Load(); id != nil {
		a.interruptTurn(*id)
	}
}

// steer tells the model something in the running turn, and goes on when the binary has taken it: its next call of the model holds it then.
func (a *attempt) steer(ctx context.Context, turn, text string, next func()) {
	if turn == "" {
		if id := a.turn.Load(); id != nil {
			turn = *id
		}
	}
	a.conn.Call("turn/steer", map[string]any{"threadId": a.thread, "expectedTurnId": turn, "input": input(text, nil)},
		func(json.RawMessage, *jsonrpc.Error) error {
			if ctx.Err() == nil {
				next()
			}
			return nil
		})
}
