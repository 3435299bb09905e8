package opencode

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/acp"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// shown is how many bytes of a call's input and of its result events have.
const shown = 4 << 10

// spoken is what the model says, of which the binary tells in pieces.
type spoken struct {
	mu      sync.Mutex
	kind    agent.EventKind
	message string // id of the message
	text    strings.Builder
	last    string // the newest whole text
	counted string // id of the last message among those that
	alone   int    // have come since the last call of a tool
}

// update returns what takes the binary's updates.
func (a *attempt) update(ctx context.Context) func(string, acp.Update) error {
	return func(session string, u acp.Update) error {
		if ours := a.opened.Load(); ours != nil && *ours != session {
			return fault.New(fault.Internal, "opencode runs a session that is not ours")
		}
		switch u.Kind { // the first three come after a prompt only
		case acp.Message:
			a.holds(session)
			a.hear(agent.Text, u)
		case acp.Thought:
			a.holds(session)
			a.hear(agent.Thinking, u)
		case acp.ToolCall:
			a.holds(session)
			a.flush()
			a.spoken.call()
			return a.calls.begin(u.ID, toolOf(u.Title))
		case acp.ToolUpdated:
			a.flush()
			return a.calls.change(u.ID, func(c *call) error { return a.progress(ctx, c, u) })
		}
		return nil
	}
}

// mostAlone is how many texts may follow each other without a call of a tool. The binary summarises a conversation that no longer fits its model,
// and would go on with that forever when the summary does not fit either.
const mostAlone = 8

// mostSaid is how many bytes of one text are kept, more or less.
const mostSaid = 1 << 20

func (a *attempt) hear(kind agent.EventKind, u acp.Update) {
	s := &a.spoken
	if s.differs(kind, u.Message) {
		a.flush()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kind, s.message = kind, u.Message
	if s.text.Len() < mostSaid {
		s.text.WriteString(u.Text())
	}
}

func (s *spoken) differs(kind agent.EventKind, message string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kind != kind || s.message != message
}

// take returns what was said and not reported yet, and how many texts have followed each other.
func (s *spoken) take() (kind agent.EventKind, text string, alone int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = s.text.String()
	s.text.Reset()
	if text != "" && s.kind == agent.Text {
		s.last = text
		if s.counted != s.message { // a message may come in parts, with thoughts in between
			s.counted = s.message
			s.alone++
		}
	}
	return s.kind, text, s.alone
}

// call begins a call of a tool.
func (s *spoken) call() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alone = 0
}

// flush reports what was said.
func (a *attempt) flush() {
	if a.finished() {
		return
	}
	kind, text, alone := a.spoken.take()
	switch {
	case text == "":
		return
	case kind == agent.Thinking:
		text = excerpt.Clip(text, shown)
	}
	a.events.Send(agent.Event{Kind: kind, Text: text})
	tooLong := agent.Decision{End: agent.Looped, Reason: "the conversation no longer fits the model, and neither does a summary of it"}
	if alone > mostAlone && a.calls.End(tooLong) {
		a.cancel(a.d.cfg.Grace)
	}
}

// progress takes what the binary tells of a call. The caller holds the lock.
func (a *attempt) progress(ctx context.Context, c *call, u acp.Update) error {
	switch u.Status {
	case acp.InProgress:
		if c.input == nil {
			c.input = u.Input
		} else if len(u.Input) > 0 && !program.SameJSON(c.input, u.Input) {
			return fault.New(fault.Internal, "opencode has changed a call after it told of it: %s %s", c.tool, excerpt.Clip(string(u.Input), 400))
		}
		if len(u.Content) > 0 {
			if err := c.mayRun(); err != nil {
				return err
			}
		}
		return a.consider(ctx, c)
	case acp.Completed:
		if err := c.mayRun(); err != nil {
			return err
		}
	case acp.Failed:
	default:
		return nil
	}
	a.finish(c, u)
	return nil
}

// finish reports how a call has come back. One that was not asked about is reported now: the binary could not make it.
func (a *attempt) finish(c *call, u acp.Update) {
	if c.ended() {
		return
	}
	if !c.told {
		c.parts = []agent.Call{{Tool: c.tool, ID: c.id, Input: c.input}}
		a.tell(c)
	}
	text, failed := u.Text(), u.Status == acp.Failed
	if c.tool == "bash" && !failed {
		failed = exitCode(u.Output) != 0
	}
	if c.reason != "" {
		text = "refused: " + c.reason
	}
	for _, p := range c.parts {
		a.events.Send(agent.Event{Kind: agent.ToolResult, ID: p.ID, Text: excerpt.Clip(text, shown), Failed: failed})
	}
	c.input, c.asked, c.parts = nil, nil, nil // they may hold whole files
	close(c.over)
	if a.finished() { // a further call of the model may have begun; it is broken off
		a.cancel(a.d.cfg.Grace)
	}
}

// exitCode is that of a command, 0 if the binary does not tell.
func exitCode(output json.RawMessage) int {
	var o struct {
		Metadata struct {
			Exit int `json:"exit"`
		} `json:"metadata"`
	}
	_ = json.Unmarshal(output, &o)
	return o.Metadata.Exit
}
