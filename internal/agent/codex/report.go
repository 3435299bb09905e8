package codex

import (
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/task"
)

// report is what an attempt tells, and what it has come to. Fields without a lock belong to the goroutine that reads the binary's output.
type report struct {
	*program.Events

	said   string     // the newest text of the model
	usage  task.Usage // of the whole conversation; Calls of this attempt alone
	limits limits     // the newest
}

func (r *report) say(text string) {
	if text == "" {
		return
	}
	r.said = text
	r.Send(agent.Event{Kind: agent.Text, Text: text})
}

// count takes the binary's total after a model call. It covers all attempts of the session.
func (r *report) count(t tokens) {
	r.usage = task.Usage{Input: max(t.Input-t.CacheRead-t.CacheWrite, 0), Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite,
		Calls: r.usage.Calls + 1}
	r.Send(agent.Event{Kind: agent.UsageNow, Usage: r.usage})
}
