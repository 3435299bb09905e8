package claude

import (
	"context"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// follow reads the stream until it ends or the session must be stopped. Requests that it handles end with ctx.
func (a *attempt) follow(ctx context.Context) error {
	lines := a.proc.lines
	for lines.Scan() {
		fresh := a.reader.init == nil
		a.reader.line(lines.Bytes())
		if fresh && a.reader.init != nil {
			if err := a.greet(); err != nil {
				return err
			}
		}
		if err := a.act(ctx); err != nil {
			return err
		}
		if a.keeps() {
			a.kept = true
			return nil
		}
		if a.reader.result != nil && a.finished() {
			a.proc.Kill() // nobody goes on with the conversation, and its own exit takes as long as a call
		}
		if a.reader.result != nil && a.cut == nil {
			a.in.close()
			a.cut = time.AfterFunc(a.d.cfg.Grace, a.end)
		}
	}
	a.reader.broken += int(lines.Skipped())
	if err := lines.Err(); err != nil {
		return fault.New(fault.Infra, "read claude's output: %w", err)
	}
	return nil
}

// act handles the current line. An error means that the session must be stopped.
func (a *attempt) act(ctx context.Context) error {
	r := a.reader
	if r.mode != "" && r.mode != "default" {
		return fault.New(fault.Internal, "claude's permission mode has become %q", r.mode)
	}
	for _, e := range r.ends {
		if err := a.check(e); err != nil {
			return err
		}
		delete(r.tools, e.id)
	}
	switch {
	case r.question != nil:
		return a.question(ctx, r.question)
	case r.response != nil:
		return a.response(ctx, r.response)
	case r.cancel != "":
		a.decisions.cancel(r.cancel)
	}
	return nil
}

// greet checks the first line and reports that the session has started.
func (a *attempt) greet() error {
	if !a.proc.armed {
		return fault.New(fault.Internal, "claude has started without our hooks")
	}
	if err := a.checkStderr(); err != nil {
		return err
	}
	if err := checkInit(a.reader.init, a.s, a.proc.conversation, a.d.cfg.Version); err != nil {
		return err
	}
	if a.s.Keep && !a.s.Resume && !a.proc.cleared {
		a.proc.observe(a.s, a.reader.init.Dir, a.d.cfg.LookTime)
	}
	a.reader.events.Send(agent.Event{Kind: agent.Started, ID: a.reader.init.SessionID, Text: a.reader.init.Version})
	return nil
}

// checkStderr looks for the one warning that must stop the session.
func (a *attempt) checkStderr() error {
	text := a.proc.Stderr()
	if i := strings.Index(text, settingsDropped); i >= 0 {
		return fault.New(fault.Internal, "claude runs without our settings: %s", excerpt.Clip(text[i:], 400))
	}
	return nil
}

// settingsDropped is the binary's warning that it continues without our settings.
const settingsDropped = "These settings files did not load"
