package opencode

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/acp"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// connectTime is how long the binary may take to list the tools that it reports by. It takes milliseconds.
const connectTime = 20 * time.Second

// talk opens the conversation and sends the prompt. When the binary ends without an answer, or ctx ends, it returns no error: outcome says what
// that means.
func (a *attempt) talk(ctx context.Context) error {
	err := a.greet(ctx)
	if err == nil {
		err = a.open(ctx)
	}
	if err == nil {
		err = a.connected(ctx)
	}
	if err == nil {
		err = a.converse(ctx)
	}
	if errors.Is(err, acp.ErrEnded) || ctx.Err() != nil {
		return nil
	}
	return err
}

// greet refuses another version: it may ask in another way, or not at all.
func (a *attempt) greet(ctx context.Context) error {
	about, err := a.client.Initialize(ctx, provider, Pinned)
	if err != nil {
		return refused("does not start", err)
	}
	if about.Info.Version != a.d.cfg.Version {
		return fault.New(fault.Infra, "opencode is version %q, wanted %q", about.Info.Version, a.d.cfg.Version).
			WithHint("install opencode-ai@%s", a.d.cfg.Version)
	}
	if !about.Can.MCP.HTTP || about.Can.Session.Resume == nil {
		return fault.New(fault.Internal, "opencode can't reach servers by HTTP, or not resume sessions")
	}
	return nil
}

// refused is the error for a request that the binary refuses; other errors stay as they are.
func refused(what string, err error) error {
	if no, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fault.New(fault.Infra, "opencode %s: %s", what, no.Message)
	}
	return err
}

// open begins the conversation or goes on with an earlier attempt's. A process that died at once may have left none; then a new one begins.
func (a *attempt) open(ctx context.Context) error {
	var servers []acp.Server
	if r := a.s.Reports; r != nil {
		servers = []acp.Server{{Name: r.Server, URL: r.URL, Token: r.Token}}
	}
	if a.id != "" {
		err := a.client.Resume(ctx, a.id, a.s.Dir, servers...)
		if a.resumed = err == nil; !a.resumed && !missing(err) {
			return refused("does not resume the conversation", err)
		}
		if !a.resumed {
			a.d.log.WarnContext(ctx, "opencode does not know the conversation of an earlier attempt, and begins a new one", "session", a.s.ID, "error", err)
		}
	}
	if !a.resumed {
		id, err := a.client.Open(ctx, a.s.Dir, servers...)
		if err != nil {
			return refused("starts no conversation", err)
		}
		if !sessionID.MatchString(id) {
			return fault.New(fault.Internal, "opencode's conversation has the id %q", id)
		}
		if err := program.KeepID(a.s, idName, id); err != nil {
			return err
		}
		a.id = id
	}
	a.opened.Store(&a.id)
	a.events.Send(agent.Event{Kind: agent.Started, ID: a.id, Text: a.d.cfg.Version})
	return nil
}

// missing tells whether the binary does not know the conversation, for which it has no error of its own.
func missing(err error) bool {
	no, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && (strings.Contains(no.Message, "not found") || strings.Contains(no.Message, "service failure"))
}

// connected waits until the binary has listed the tools to report by: without them it would work and be unable to report.
func (a *attempt) connected(ctx context.Context) error {
	if a.s.Reports == nil {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	listed := make(chan error, 1)
	go func() { listed <- a.s.Reports.Wait(wait) }()
	select {
	case err := <-listed:
		if err != nil && ctx.Err() == nil {
			return fault.New(fault.Infra, "opencode does not list the tools to report by: %w", err)
		}
		return nil
	case <-a.client.Over():
		return acp.ErrEnded
	}
}

// converse sends the prompt. When calls were refused, the binary ends its turn and tells the model no reason; that is the next prompt then.
func (a *attempt) converse(ctx context.Context) error {
	unhook := context.AfterFunc(ctx, func() { a.cancel(a.d.cfg.Grace) })
	defer unhook()
	parts := []acp.Part{{Text: a.s.Prompt}}
	if program.KeptID(a.s, heldName, sessionID) != a.id { // otherwise they are in the conversation already
		for _, i := range a.s.Images {
			parts = append(parts, acp.Part{Type: i.Type, Data: i.Data})
		}
	}
	for {
		a.notes.turn()
		stop, err := a.client.Prompt(context.WithoutCancel(ctx), a.id, parts...) // the answer comes in any case, or the process ends
		a.notes.over()
		a.flush()
		if a.failed, _ = errors.AsType[*jsonrpc.Error](err); a.failed != nil {
			if nameOf(*a.failed) != "" { // the binary took the prompt up, and its call of the model has failed
				a.holds(a.id)
			}
			return nil
		}
		if err != nil {
			return err
		}
		a.holds(a.id)
		a.count(stop)
		if a.calls.Over() != nil || a.finished() || ctx.Err() != nil {
			return nil
		}
		why := a.calls.refusals()
		if why == "" {
			a.done, a.ended = stop.Reason == "end_turn", stop.Reason
			return nil
		}
		parts = []acp.Part{{Text: why}}
	}
}

// count adds what a turn has used. The binary tells of the last model call of each.
func (a *attempt) count(stop acp.Stop) {
	u := stop.Usage
	if u.Input+u.Output == 0 {
		return
	}
	a.usage = a.usage.Add(task.Usage{Input: max(u.Input-u.CacheRead-u.CacheWrite, 0), Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Calls: 1})
	a.events.Send(agent.Event{Kind: agent.UsageNow, Usage: a.usage})
}

// finished tells whether the agent has reported the end of the session.
func (a *attempt) finished() bool { return a.s.Reports != nil && a.s.Reports.Ended() }
