package claude

import (
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

func TestConform(t *testing.T) {
	agenttest.Conform(t, agenttest.Driver{Agent: task.AgentClaude, Version: Pinned, Token: "they see a token that is worth something to this session alone"}, func(t *testing.T, role task.Role, steps ...agenttest.Step) agenttest.Fixture {
		b := newBench(t, role, one(role, agenttest.Turns(steps)...))
		return agenttest.Fixture{Agent: b.Driver, Session: b.session, Model: b.model, Crash: func() {
			recorded(t, b.session, "toolu_it_0_0_0")
			agenttest.Kill(t, b.session)
		}}
	})
}
