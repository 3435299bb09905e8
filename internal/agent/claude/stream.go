package claude

import (
	"encoding/json"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/task"
)

const (
	lineMax = 32 << 20 // bytes of one line; longer ones are skipped and counted
	shown   = 8 << 10  // bytes of a tool's input or result in an event
)

// reader turns the lines of a stream into events and keeps what decides the outcome. Its memory does not grow with the stream.
type reader struct {
	now  func() time.Time
	emit func(agent.Event)

	init     *initLine
	result   *resultLine  // the last one
	limit    *limitInfo   // the last one that rejected
	problem  apiProblem   // of the last message that the binary wrote in the model's place
	seen     task.Usage   // of the messages of this attempt; output tokens are not in them
	last     string       // id of the newest message
	broken   int          // lines that are not JSON objects
	question *controlLine // the permission question on the current line
}

// parts are the fields of a line that matter, still undecoded. The order of fields varies from line to line.
type parts struct{ kind, subtype, message, parent, problem, info []byte }

// line reads one line. Lines that are not objects are counted; a line of an unknown kind is none of our business.
func (r *reader) line(data []byte) {
	r.question = nil
	var p parts
	err := eachField(data, func(key, value []byte) {
		switch string(key) {
		case "type":
			p.kind = value
		case "subtype":
			p.subtype = value
		case "message":
			p.message = value
		case "parent_tool_use_id":
			p.parent = value
		case "error":
			p.problem = value
		case "rate_limit_info":
			p.info = value
		}
	})
	if err != nil {
		if space(data, 0) < len(data) {
			r.broken++
		}
		return
	}
	switch string(p.kind) {
	case `"assistant"`:
		r.assistant(p)
	case `"user"`:
		r.user(p)
	case `"system"`:
		r.system(text(p.subtype), data)
	case `"rate_limit_event"`:
		r.limitEvent(p.info)
	case `"result"`:
		r.end(data)
	case `"control_request"`:
		var c controlLine
		if r.decode(data, &c) {
			r.question = &c
		}
	}
}

func (r *reader) decode(data []byte, to any) bool {
	if err := json.Unmarshal(data, to); err != nil {
		r.broken++
		return false
	}
	return true
}

func (r *reader) send(e agent.Event) {
	e.Time = r.now()
	r.emit(e)
}

// system reads the lines of the binary about itself.
func (r *reader) system(subtype string, data []byte) {
	switch subtype {
	case "init":
		var l initLine
		if r.decode(data, &l) {
			r.init = &l
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
			r.send(agent.Event{Kind: agent.Denied, Tool: l.Tool, ID: l.CallID, Text: first(l.Message, l.Decision)})
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
		r.limit = nil // it waited, or a later call was served
	}
	if l.Status != "allowed" {
		r.send(agent.Event{Kind: agent.Limit, Text: l.Type + " " + l.Status, Reset: l.reset(), Failed: l.Status == "rejected"})
	}
}

// end reads a result. The binary's figures are of the session over all its attempts, but for those that were killed.
func (r *reader) end(data []byte) {
	var l resultLine
	if !r.decode(data, &l) {
		return
	}
	r.result = &l
	if len(l.Models) > 0 {
		r.send(agent.Event{Kind: agent.UsageNow, Usage: r.usage()})
	}
}

// usage is the session's total, as far as it is known. Without a result it is what this attempt's messages were billed for
// going in: a lower bound, and no cost.
func (r *reader) usage() task.Usage {
	if r.result == nil {
		return r.seen
	}
	u := task.Usage{CostUSD: r.result.Cost, Calls: r.seen.Calls}
	for _, m := range r.result.Models {
		u = u.Add(task.Usage{Input: m.Input, Output: m.Output, CacheRead: m.CacheRead, CacheWrite: m.CacheWrite})
	}
	return u
}

func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
