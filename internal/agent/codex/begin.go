package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// connectTime is how long the binary may take to list the tools that it reports by. It takes milliseconds.
const connectTime = 20 * time.Second

// ignore is for answers that change nothing.
func ignore(json.RawMessage, *jsonrpc.Error) error { return nil }

// begin introduces us. Each answer leads to the next request: initialize, thread/start or thread/resume, turn/start.
func (a *attempt) begin(ctx context.Context) {
	who := map[string]any{"clientInfo": map[string]any{"name": provider, "version": Pinned}}
	a.conn.Call("initialize", who, func(result json.RawMessage, no *jsonrpc.Error) error {
		if no != nil {
			return fault.New(fault.Infra, "codex does not start: %s", no.Message)
		}
		if err := a.checkVersion(result); err != nil {
			return err
		}
		a.conn.Notify("initialized", nil)
		if a.thread != "" {
			a.resumeThread(ctx)
		} else {
			a.startThread(ctx)
		}
		return nil
	})
}

var agentVersion = regexp.MustCompile(`^[^/ ]+/(\S+)`)

// checkVersion refuses another version: it may ask in another way, or not at all.
func (a *attempt) checkVersion(result json.RawMessage) error {
	var r struct {
		UserAgent string `json:"userAgent"`
	}
	version := ""
	if json.Unmarshal(result, &r) == nil {
		if m := agentVersion.FindStringSubmatch(r.UserAgent); m != nil {
			version = m[1]
		}
	}
	if version != a.d.cfg.Version {
		return fault.New(fault.Infra, "codex is version %q, wanted %q", version, a.d.cfg.Version).
			WithHint("install @openai/codex@%s", a.d.cfg.Version)
	}
	return nil
}

func (a *attempt) startThread(ctx context.Context) {
	a.conn.Call("thread/start", threadParams(a.s), func(result json.RawMessage, no *jsonrpc.Error) error {
		if no != nil {
			return fault.New(fault.Infra, "codex starts no conversation: %s", no.Message)
		}
		return a.opened(ctx, result)
	})
}

// resumeThread goes on with an earlier attempt's conversation. A process that died at once may have left none, or one without its first line;
// then a new one is started.
func (a *attempt) resumeThread(ctx context.Context) {
	p := threadParams(a.s)
	p["threadId"], p["excludeTurns"] = a.thread, true
	a.conn.Call("thread/resume", p, func(result json.RawMessage, no *jsonrpc.Error) error {
		switch {
		case no == nil:
			a.resumed = true
			return a.opened(ctx, result)
		case strings.Contains(no.Message, "no rollout found"), strings.Contains(no.Message, "failed to read session metadata"):
			a.d.log.WarnContext(ctx, "codex can't read the conversation of an earlier attempt, and begins a new one", "session", a.s.ID, "error", no.Message)
			a.startThread(ctx)
			return nil
		}
		return fault.New(fault.Infra, "codex does not resume the conversation: %s", no.Message)
	})
}

// opened keeps the conversation's id and goes on to the prompt.
func (a *attempt) opened(ctx context.Context, result json.RawMessage) error {
	var o opened
	if err := json.Unmarshal(result, &o); err != nil {
		return fault.New(fault.Internal, "codex describes its conversation in another way: %w", err)
	}
	if err := a.checkRules(o); err != nil {
		return err
	}
	if a.resumed && o.Thread.ID != a.thread {
		return fault.New(fault.Internal, "codex has resumed conversation %q, wanted %q", o.Thread.ID, a.thread)
	}
	a.thread = o.Thread.ID
	if err := program.KeepID(a.s, threadName, a.thread); err != nil {
		return err
	}
	a.started = true
	a.report.Send(agent.Event{Kind: agent.Started, ID: a.thread, Text: a.d.cfg.Version})
	a.answers.Go(func() { a.prompt(ctx) })
	return nil
}

// prompt sends the user's turn, once the binary has listed the tools to report by: without them it would work and be unable to report.
func (a *attempt) prompt(ctx context.Context) {
	if r := a.s.Reports; r != nil {
		ctx, cancel := context.WithTimeout(ctx, connectTime)
		defer cancel()
		if err := r.Wait(ctx); errors.Is(err, context.DeadlineExceeded) {
			a.unconnected.Store(&err)
			a.windUp()
			return
		} else if err != nil { // the binary has ended, or the session is stopped
			return
		}
	}
	text, images := a.s.Prompt, a.s.Images
	if a.resumed && (a.s.Again == "" || hasPrompt(a.s, a.thread)) {
		text, images = cmp.Or(a.s.Again, text), nil // the images are in the conversation already
	}
	p := map[string]any{"threadId": a.thread, "input": input(text, images)}
	if a.s.Thinking > 0 {
		p["effort"] = effort(a.s.Thinking)
	}
	a.conn.Call("turn/start", p, func(result json.RawMessage, no *jsonrpc.Error) error {
		var r struct {
			Turn turn `json:"turn"`
		}
		if no != nil {
			return fault.New(fault.Infra, "codex does not take the prompt: %s", no.Message)
		}
		if json.Unmarshal(result, &r) != nil || r.Turn.ID == "" {
			return fault.New(fault.Internal, "codex does not name the turn of the prompt")
		}
		a.turn.Store(&r.Turn.ID)
		if a.ended.Load() { // the session was stopped meanwhile
			a.interruptTurn(r.Turn.ID)
		}
		return nil
	})
}
