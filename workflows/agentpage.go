package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// show puts the session's page.
func (s *agentSession) show(ctx workflow.Context) {
	var p page
	state := "between two acts"
	switch {
	case s.over != "":
		state = "ended"
	case s.doing != "":
		state = "at work"
	}
	p.title(state, string(s.over))
	p.fact("Session", "%s", task.Literally(s.in.About))
	if s.doing != "" {
		p.fact("Now", "%s", code(s.doing))
	}
	p.fact("Next human action", "none; what needs a person is asked for by the task")
	p.fact("Model", "%s, %d answers, %s", task.Literally(s.in.Open.Model), s.at.Turns, usd(s.at.Usage.CostUSD))
	p.fact("Left", "%s", task.Literally(s.remains()))
	if n := len(s.at.Unsaid); n > 0 {
		p.fact("Waits to be told to the model", "%d messages", n)
	}
	if len(s.at.Recent) > 0 {
		p.heading("**The last acts**, of %d", s.at.Steps)
	}
	for i := len(s.at.Recent) - 1; i >= 0; i-- {
		p.item("%s", code(excerpt.Line(s.at.Recent[i], 110)))
	}
	p.put(ctx)
}
