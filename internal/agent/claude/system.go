package claude

import (
	"cmp"

	"github.com/longshift/longshift/internal/agent"
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
			r.send(agent.Event{Kind: agent.Retry, Text: retryText(l.Error, l.Status, l.Attempt, l.Max, l.Delay)})
		}
	case "permission_denied":
		var l struct {
			Tool     string `json:"tool_name"`
			CallID   string `json:"tool_use_id"`
			Message  string `json:"message"`
			Decision string `json:"decision_reason"`
		}
		if r.decode(data, &l) {
			r.send(agent.Event{Kind: agent.Denied, Tool: l.Tool, ID: l.CallID, Text: cmp.Or(l.Message, l.Decision)})
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
		r.send(agent.Event{Kind: agent.Limit, Text: l.Type + " " + l.Status, Reset: l.reset(), Failed: l.Status == "rejected"})
	}
}
