package codex

import (
	"context"
	"encoding/json"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/fault"
)

// follow reads the binary's messages until they end or the session must be stopped. Questions that it passes on end with ctx.
func (a *attempt) follow(ctx context.Context) error {
	a.begin(ctx)
	broken, err := jsonrpc.Read(a.proc.Stdout(), programName, func(m *jsonrpc.Message) error { return a.handle(ctx, m) })
	a.broken = broken
	return err
}

// handle takes one message. An error means that the session must be stopped.
func (a *attempt) handle(ctx context.Context, m *jsonrpc.Message) error {
	switch {
	case m.Method == "":
		return a.conn.Answered(m)
	case len(m.ID) > 0:
		return a.question(ctx, m)
	}
	return a.notice(m)
}

// notice reads a notification. Those of unknown methods are ignored; what they could hide is caught by the calls that they are about.
func (a *attempt) notice(m *jsonrpc.Message) error {
	var p struct {
		Item    item     `json:"item"`
		ItemID  string   `json:"itemId"`
		Changes []change `json:"changes"`
		Turn    turn     `json:"turn"`
		Name    string   `json:"name"`
		Error   problem  `json:"error"`
		Retry   bool     `json:"willRetry"`
		Usage   struct {
			Total tokens `json:"total"`
		} `json:"tokenUsage"`
		Limits  limits          `json:"rateLimits"`
		Request json.RawMessage `json:"requestId"`
	}
	switch m.Method {
	case "item/started", "item/completed", "item/commandExecution/outputDelta", "item/fileChange/patchUpdated", "turn/started",
		"turn/completed", "thread/tokenUsage/updated", "account/rateLimits/updated", "serverRequest/resolved":
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return fault.New(fault.Internal, "codex describes %s in another way: %w", m.Method, err)
		}
	case "error":
		if json.Unmarshal(m.Params, &p) == nil && p.Retry {
			a.report.Send(agent.Event{Kind: agent.Retry, Text: p.Error.Message})
		}
		return nil
	case "mcpServer/startupStatus/updated":
		if json.Unmarshal(m.Params, &p) != nil || a.s.Reports == nil || p.Name != a.s.Reports.Server {
			return fault.New(fault.Internal, "codex starts a server that it was not told of: %q", p.Name)
		}
		return nil
	}
	switch m.Method {
	case "item/started":
		return a.itemBegins(p.Item)
	case "item/completed":
		return a.itemEnds(p.Item)
	case "item/commandExecution/outputDelta":
		return a.calls.mayRun(p.ItemID)
	case "item/fileChange/patchUpdated":
		return a.calls.change(p.ItemID)
	case "turn/started":
		return a.checkTurn(p.Turn.ID)
	case "turn/completed":
		return a.turnEnds(p.Turn)
	case "thread/tokenUsage/updated":
		a.report.count(p.Usage.Total)
	case "account/rateLimits/updated":
		a.report.limits = p.Limits
	case "serverRequest/resolved":
		return a.checkResolved(p.Request)
	}
	return a.checkNotice(m)
}

// turnEnds lets the binary exit. When a decision has ended the session, that is written into the conversation first.
func (a *attempt) turnEnds(t turn) error {
	if err := a.checkTurn(t.ID); err != nil {
		return err
	}
	a.over = &t
	a.stopAfter(a.d.cfg.Grace)
	end := a.calls.Over()
	if end == nil {
		a.conn.Close()
		return nil
	}
	note := map[string]any{"type": "message", "role": "developer",
		"content": []any{map[string]any{"type": "input_text", "text": "The session stopped here: " + end.Reason}}}
	a.conn.Call("thread/inject_items", map[string]any{"threadId": a.thread, "items": []any{note}}, func(json.RawMessage, *jsonrpc.Error) error {
		a.conn.Close()
		return nil
	})
	return nil
}
