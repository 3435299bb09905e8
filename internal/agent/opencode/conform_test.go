package opencode

import (
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

func TestConform(t *testing.T) {
	agenttest.Conform(t, agenttest.Driver{Agent: task.AgentOpenCode, Version: Pinned, Fixed: "it refuses the call, and says what is allowed", Silent: "of a turn that is broken off it does not tell what it has used; the gateway counts"}, func(t *testing.T, role task.Role, steps ...agenttest.Step) agenttest.Fixture {
		turns := append(agenttest.Turns(steps), agenttest.Turn{Text: "Never said."}) // see finish
		b := newBench(t, role, one(role, inOpenCode(turns)...))
		return agenttest.Fixture{Agent: b.Driver, Session: b.session, Model: b.model, Crash: func() {
			agenttest.Kill(t, b.session)
		}}
	})
}
