package codex

import (
	"encoding/json"
	"slices"

	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// The binary asks because of the policy that it was started with. That has been renamed and withdrawn in the past, and a file in the right
// place can switch it off. So the rules that it says it follows are compared with those that were asked for, and every command, patch and
// report that begins without our approval stops the session.

// checkRules compares the rules of a conversation with those that were asked for.
func (a *attempt) checkRules(o opened) error {
	_, box := sandbox(a.s)
	for _, c := range []struct{ what, is, want string }{
		{"approval policy", name(o.Approval), policy},
		{"reviewer of calls", o.Reviewer, reviewer},
		{"sandbox", o.Sandbox.Type, box},
		{"model endpoint", o.Provider, provider},
	} {
		if c.is != c.want {
			return fault.New(fault.Internal, "codex's %s is %q, wanted %q", c.what, c.is, c.want)
		}
	}
	if !program.UUID.MatchString(o.Thread.ID) {
		return fault.New(fault.Internal, "codex's conversation has the id %q, which is no UUID", o.Thread.ID)
	}
	return nil
}

// name is a value that is a string, and the JSON of any other.
func name(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// checkTurn refuses turns that are not ours: somebody else has written to the binary's input.
func (a *attempt) checkTurn(id string) error {
	if ours := a.turn.Load(); ours != nil && *ours != id {
		return fault.New(fault.Internal, "codex runs a turn that is not ours")
	}
	return nil
}

// checkNotice refuses what must not happen in a session.
func (a *attempt) checkNotice(m *jsonrpc.Message) error {
	switch m.Method {
	case "item/commandExecution/terminalInteraction":
		var p struct {
			Input string `json:"stdin"`
		}
		if json.Unmarshal(m.Params, &p) != nil || p.Input != "" {
			return fault.New(fault.Internal, "codex writes to a running command, which nobody decides on: %s", excerpt.Clip(p.Input, 400))
		}
	case "hook/started":
		return fault.New(fault.Internal, "codex runs a hook that it was not told of")
	case "item/autoApprovalReview/started":
		return fault.New(fault.Internal, "codex lets another model decide on calls")
	case "thread/settings/updated":
		var s settings
		if err := json.Unmarshal(m.Params, &s); err != nil {
			return fault.New(fault.Internal, "codex describes its settings in another way: %w", err)
		}
		_, box := sandbox(a.s)
		if p := s.Settings; name(p.Approval) != policy || p.Reviewer != reviewer || p.Sandbox.Type != box {
			return fault.New(fault.Internal, "codex's rules have become %s, %q, %q", p.Approval, p.Reviewer, p.Sandbox.Type)
		}
	}
	return nil
}

// checkResolved refuses an answer to a question that we have not answered, unless the binary has given the question up with its turn.
func (a *attempt) checkResolved(request json.RawMessage) error {
	if a.calls.answered(string(request)) || a.ended.Load() || a.over != nil || a.calls.Over() != nil {
		return nil
	}
	return fault.New(fault.Internal, "codex has an answer that is not ours: a command has written to its input")
}

// quiet are items that do nothing that we decide on. A model can look at an image by itself; the box decides which.
var quiet = []string{"userMessage", "agentMessage", "reasoning", "plan", "imageView", "contextCompaction", "functionCallOutput"}

// checkItem refuses items of other kinds: calls of tools that were switched off, or that this driver does not know.
func checkItem(it item) error {
	switch it.Type {
	case kindCommand, kindPatch, kindReport:
		return nil
	}
	if slices.Contains(quiet, it.Type) {
		return nil
	}
	return fault.New(fault.Internal, "codex makes a call of %q, which nobody decides on", it.Type)
}
