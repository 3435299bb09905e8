package claude

import (
	"cmp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// system reads the binary's lines about itself.
func (r *reader) system(subtype string, data []byte) {
	switch subtype {
	case "init":
		var l initLine
		if r.decode(data, &l) {
			r.init, r.mode = &l, l.Mode
		}
	case "status":
		var l struct {
			Mode string `json:"permissionMode"`
		}
		if r.decode(data, &l) {
			r.mode = l.Mode
		}
	case "api_retry":
		var l struct {
			Attempt int    `json:"attempt"`
			Max     int    `json:"max_retries"`
			Delay   int    `json:"retry_delay_ms"`
			Status  int    `json:"error_status"`
			Error   string `json:"error"`
		}
		if r.decode(data, &l) {
			r.events.Send(agent.Event{Kind: agent.Retry, Text: retryText(l.Error, l.Status, l.Attempt, l.Max, l.Delay)})
		}
	case "permission_denied":
		var l struct {
			Tool     string `json:"tool_name"`
			CallID   string `json:"tool_use_id"`
			Message  string `json:"message"`
			Decision string `json:"decision_reason"`
		}
		if r.decode(data, &l) {
			r.events.Send(agent.Event{Kind: agent.Denied, Tool: l.Tool, ID: l.CallID, Text: cmp.Or(l.Message, l.Decision)})
		}
	}
}

func (r *reader) limitEvent(info []byte) {
	var l limitInfo
	if info == nil || !r.decode(info, &l) {
		return
	}
	if l.Status == "rejected" {
		r.limit = &l
	} else {
		r.limit = nil // it has waited, or a later call has succeeded
	}
	if l.Status != "allowed" {
		r.events.Send(agent.Event{Kind: agent.Limit, Text: l.Type + " " + l.Status, Reset: l.reset(), Failed: l.Status == "rejected"})
	}
}

// checkInit compares the binary's description of itself with how it was started. On a difference the session must stop: another version
// may ask for permission in another way and fail open.
func checkInit(l *initLine, s agent.Session, conversation, version string) error {
	if l.Version != version {
		return fault.New(fault.Infra, "claude is version %q, wanted %q", l.Version, version).
			WithHint("install @anthropic-ai/claude-code@%s", version)
	}
	if l.SessionID != conversation {
		return fault.New(fault.Internal, "claude runs session %q, wanted %q", l.SessionID, conversation)
	}
	if l.Mode != "default" { // name of mode "manual" in the stream
		return fault.New(fault.Internal, "claude's permission mode is %q, wanted manual", l.Mode)
	}
	allowed := append(offered(s), reportTools(s)...)
	var extra []string
	for _, t := range l.Tools {
		if t == "Task" {
			t = "Agent" // the stream's name for the tool Agent
		}
		if !slices.Contains(allowed, t) {
			extra = append(extra, t)
		}
	}
	if extra != nil {
		return fault.New(fault.Internal, "claude offers tools that it must not: %s", strings.Join(extra, ", "))
	}
	return nil
}
