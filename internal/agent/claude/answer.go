package claude

import (
	"cmp"
	"context"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// question handles a request of the binary. It never blocks: goroutines that end with ctx send the answers. An error means that the
// session must be stopped.
func (a *attempt) question(ctx context.Context, q *controlLine) error {
	r := q.Request
	switch r.Subtype {
	case "hook_callback":
		a.goAnswer(func() { a.hook(ctx, q) })
	case "can_use_tool":
		v := a.decisions.decided(r.CallID)
		if v == nil {
			a.reader.events.Send(agent.Event{Kind: agent.Denied, Tool: r.Tool, ID: r.CallID, Text: "it was not asked about before"})
			return fault.New(fault.Internal, "claude no longer asks before every tool call: it has skipped a %s", cmp.Or(r.Tool, "nameless tool"))
		}
		a.goAnswer(func() { a.confirm(q, v) })
	default: // without an answer the session would hang
		a.goAnswer(func() { a.in.fail(q.ID, "not supported: "+r.Subtype) })
	}
	return nil
}

func (a *attempt) goAnswer(f func()) {
	a.answers.Go(func() {
		f()
	})
}

// hook answers the hook request, which the binary sends first for every call. An allowed call still goes on to the permission request, so
// that one check remains if the other is disabled.
func (a *attempt) hook(ctx context.Context, q *controlLine) {
	e, ok := q.event()
	switch {
	case q.Request.Callback == afterAgent:
		a.in.reply(q.ID, a.afterAgent())
		return
	case q.Request.Callback == afterTool:
		a.in.reply(q.ID, a.afterReport())
		return
	case !ok || q.Request.Callback != beforeCall || e.Name != "PreToolUse" || e.CallID == "" || e.Tool == "" || e.CallID != q.Request.CallID:
		a.in.fail(q.ID, "not a call of a tool")
		return
	}
	v := a.decisions.decide(ctx, q.ID, agent.Call{Tool: e.Tool, ID: e.CallID, Sub: e.Sub, Dir: e.Dir, Input: e.Input})
	if ctx.Err() != nil {
		return // the session is being stopped; a refusal would make the model continue
	}
	v = cmp.Or(v, &ruling{Decision: agent.Decision{Reason: "this call was not decided on; it was not made"}})
	decision := map[string]any{"hookEventName": "PreToolUse"}
	response := map[string]any{"hookSpecificOutput": decision}
	if v.Allow {
		decision["permissionDecision"] = "ask"
		if v.Input != nil {
			decision["updatedInput"] = v.Input
		}
		if v.Reason != "" {
			decision["additionalContext"] = v.Reason
		}
		a.in.reply(q.ID, response)
		return
	}
	decision["permissionDecision"], decision["permissionDecisionReason"] = "deny", v.Reason
	if v.End != "" { // the binary records the refusal and makes no further model calls
		response["continue"], response["stopReason"] = false, v.Reason
		a.windUp()
	}
	a.reader.events.Send(agent.Event{Kind: agent.Denied, Tool: e.Tool, ID: e.CallID, Text: v.Reason})
	a.in.reply(q.ID, response)
}

// confirm answers the permission request with the hook's decision. It sends the input along, so that the binary runs exactly what was
// decided on.
func (a *attempt) confirm(q *controlLine, v *ruling) {
	if !v.Allow || v.tool != q.Request.Tool {
		a.in.reply(q.ID, map[string]any{"behavior": "deny", "message": cmp.Or(v.Reason, "this call was not decided on")})
		return
	}
	a.in.reply(q.ID, map[string]any{"behavior": "allow", "updatedInput": v.input})
}

// afterAgent stops the session after a sub-agent in which it should have ended, because that decision has stopped only the sub-agent.
func (a *attempt) afterAgent() map[string]any {
	end := a.decisions.over()
	if end == nil {
		return a.afterReport()
	}
	return map[string]any{"continue": false, "stopReason": end.Reason,
		"hookSpecificOutput": map[string]any{"hookEventName": "PostToolUse", "additionalContext": "The session stops here: " + end.Reason}}
}

// windUp stops the session if it does not end by itself soon, because concurrent calls may still be running.
func (a *attempt) windUp() {
	a.winding.Do(func() {
		grace := a.d.cfg.Grace
		interrupt := time.AfterFunc(grace, func() { a.in.request(map[string]any{"subtype": "interrupt"}) })
		end := time.AfterFunc(2*grace, a.end)
		a.unwind = func() { interrupt.Stop(); end.Stop() }
	})
}
