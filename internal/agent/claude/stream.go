package claude

import (
	"encoding/json"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/task"
)

const (
	lineMax = 32 << 20 // bytes of a line; longer ones are skipped and counted
	shown   = 8 << 10  // bytes of a tool's input or result in an event
)

// reader parses the lines of the stream and keeps what determines the outcome. Its memory use does not grow with the stream.
type reader struct {
	events *program.Events

	init    *initLine
	result  *resultLine       // the last result
	limit   *limitInfo        // the last rejection
	problem apiProblem        // from the last synthetic message
	seen    task.Usage        // usage of this attempt's messages, without output tokens
	last    string            // id of the newest message
	broken  int               // lines that are not JSON objects
	tools   map[string]string // names of the called tools, by call id

	// Requests in the current line.
	question *controlLine
	response *responseLine
	cancel   string // id of a withdrawn request
	mode     string // new permission mode
	reset    bool   // the conversation has been cleared
	ends     []toolEnd
}

func newReader(now func() time.Time, emit func(agent.Event)) *reader {
	return &reader{events: program.NewEvents(now, emit), tools: map[string]string{}}
}

// parts are the relevant fields of a line, undecoded. The order of fields varies.
type parts struct{ kind, subtype, message, parent, problem, info, meta []byte }

// line reads one line. Lines that are not objects are counted; lines of an unknown kind are ignored.
func (r *reader) line(data []byte) {
	r.question, r.response, r.cancel, r.mode, r.reset, r.ends = nil, nil, "", "", false, r.ends[:0]
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
		case "tool_result_meta":
			p.meta = value
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
	case `"conversation_reset"`:
		r.reset = true
	case `"result"`:
		r.end(data)
	case `"control_request"`:
		var c controlLine
		if r.decode(data, &c) {
			r.question = &c
		}
	case `"control_cancel_request"`:
		var c controlLine
		if r.decode(data, &c) {
			r.cancel = c.ID
		}
	case `"control_response"`:
		var c responseLine
		if r.decode(data, &c) {
			r.response = &c
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

// end reads a result. The binary's totals cover all attempts of the session except killed ones.
func (r *reader) end(data []byte) {
	var l resultLine
	if !r.decode(data, &l) {
		return
	}
	r.result = &l
	if len(l.Models) > 0 {
		r.events.Send(agent.Event{Kind: agent.UsageNow, Usage: r.usage()})
	}
}

// usage is the session's total as far as it is known. Without a result it is the input of this attempt's messages: a lower bound, without
// a cost.
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
