package opencode

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/acp"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// question takes a question of the binary. It never blocks: goroutines that end with ctx send the answers. An error means that the session must
// be stopped.
func (a *attempt) question(ctx context.Context, q acp.Question) error {
	return a.calls.change(q.Call.ID, func(c *call) error {
		if c.asked != nil {
			return fault.New(fault.Internal, "opencode asks twice about a call: %s", c.id)
		}
		c.asked = &q
		return a.consider(ctx, c)
	})
}

// consider has a call decided on as soon as that is possible. The caller holds the lock.
func (a *attempt) consider(ctx context.Context, c *call) (err error) {
	if !c.decidable() {
		return nil
	}
	if c.parts, err = partsOf(a.s, c); err != nil {
		return err
	}
	q, parts := *c.asked, c.parts
	if parts == nil {
		unknown := agent.Call{Tool: c.tool, ID: c.id}
		a.answers.Go(func() { a.refuse(c, q, unknown, "it is not available") })
		return nil
	}
	a.tell(c)
	a.answers.Go(func() { a.decide(ctx, c, q, parts) })
	return nil
}

// tell reports a call that is to be made. The caller holds the lock.
func (a *attempt) tell(c *call) {
	c.told = true
	for _, p := range c.parts {
		a.events.Send(agent.Event{Kind: agent.ToolCall, Tool: p.Tool, ID: p.ID, Text: excerpt.Clip(string(p.Input), shown)})
	}
}

// decide asks about each part of a call and answers: it is accepted if all of them are allowed. It does not answer when ctx ends first.
func (a *attempt) decide(ctx context.Context, c *call, q acp.Question, parts []agent.Call) {
	var notes []string
	for _, part := range parts {
		if a.calls.Over() != nil {
			return // the binary gives the question up
		}
		d := program.Decide(ctx, a.s, part)
		if ctx.Err() != nil || d.End == "" && a.calls.Over() != nil {
			return // the session is being stopped
		}
		if d.End != "" {
			a.endBy(q, part, d)
			return
		}
		if !d.Allow {
			a.refuse(c, q, part, d.Reason)
			return
		}
		if d.Reason != "" {
			notes = append(notes, fmt.Sprintf("About the call of %s: %s", part.Tool, d.Reason))
		}
	}
	if !q.AllowsOne() {
		a.refuse(c, q, parts[0], "only a single call can be allowed")
		return
	}
	for _, text := range notes { // before the answer: the next call of the model holds it then
		if !a.notes.begin() {
			a.calls.tell(text)
			continue
		}
		a.answers.Go(func() {
			defer a.notes.end()
			_, _ = a.client.Prompt(context.WithoutCancel(ctx), a.id, acp.Part{Text: text})
		})
	}
	a.calls.allow(c)
	a.client.Answer(q, true)
}

// inTurn has a report wait for the calls that the model has written before it. The binary makes the calls of an answer at once, and a report may
// end the session. Its question can't wait in place of it, because the binary asks one question at a time.
func (a *attempt) inTurn(ctx context.Context) agent.InTurn {
	return func(of context.Context, tool string, arguments json.RawMessage) error {
		report, before := a.calls.before(a.s.Reports.Server+"_"+tool, arguments)
		for _, c := range before {
			select {
			case <-c.over:
			case <-report.over:
				return fault.New(fault.Work, "the session waits for this report no longer")
			case <-of.Done():
				return context.Cause(of)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	}
}

// refuse refuses a call. The binary ends its turn then.
func (a *attempt) refuse(c *call, q acp.Question, part agent.Call, reason string) {
	a.calls.refuse(c, part.Tool, reason)
	a.events.Send(agent.Event{Kind: agent.Denied, Tool: part.Tool, ID: part.ID, Text: reason})
	a.client.Answer(q, false)
}

// endBy ends the session by a decision: the call is not made, and the model is not called again.
func (a *attempt) endBy(q acp.Question, part agent.Call, d agent.Decision) {
	if !a.calls.End(d) {
		return // another one ends it already
	}
	a.events.Send(agent.Event{Kind: agent.Denied, Tool: part.Tool, ID: part.ID, Text: d.Reason})
	a.cancel(2 * a.d.cfg.Grace)
	a.client.GiveUp(q)
}
