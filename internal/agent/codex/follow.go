package codex

import (
	"context"
	"encoding/json"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// lineMax is the longest line that is read. Outputs of commands are cut by the binary, but an image is a line.
const lineMax = 32 << 20

// follow reads the binary's messages until they end or the session must be stopped. Questions that it passes on end with ctx.
func (a *attempt) follow(ctx context.Context) error {
	a.begin(ctx)
	lines := process.NewLineScanner(a.proc.Stdout(), lineMax)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			a.broken++
			continue
		}
		if err := a.handle(ctx, &m); err != nil {
			return err
		}
	}
	if lines.Skipped() > 0 { // an approval or a call could be among them
		return fault.New(fault.Internal, "codex wrote %d messages of more than %d bytes", lines.Skipped(), lineMax)
	}
	if err := lines.Err(); err != nil {
		return fault.New(fault.Infra, "read codex's output: %w", err)
	}
	return nil
}

// handle takes one message. An error means that the session must be stopped.
func (a *attempt) handle(ctx context.Context, m *message) error {
	switch {
	case m.Method == "":
		if err := a.conn.answered(m); err == errNotOurs {
			return fault.New(fault.Internal, "codex: %w", err)
		} else {
			return err
		}
	case len(m.ID) > 0:
		return a.question(ctx, m)
	}
	return a.notice(m)
}

// notice reads a notification. Those of unknown methods are ignored; what they could hide is caught by the calls that they are about.
func (a *attempt) notice(m *message) error {
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
			a.report.send(agent.Event{Kind: agent.Retry, Text: p.Error.Message})
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
	end := a.calls.over()
	if end == nil {
		a.conn.close()
		return nil
	}
	note := map[string]any{"type": "message", "role": "developer",
		"content": []any{map[string]any{"type": "input_text", "text": "The session stopped here: " + end.Reason}}}
	a.conn.call("thread/inject_items", map[string]any{"threadId": a.thread, "items": []any{note}}, func(json.RawMessage, *refusal) error {
		a.conn.close()
		return nil
	})
	return nil
}
