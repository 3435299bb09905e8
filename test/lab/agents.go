package lab

import (
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// Agent is what a stage needs for an agent.
type Agent struct {
	Name     string
	Settings string   // of a repository whose tasks are for it
	Env      []string // of a worker that runs it
	Tools    func(agenttest.Tool) agenttest.Tool
}

// AgentFor gives what a stage needs for one of the agent programs. Without its binary the test is skipped, and fails where CI is set.
func AgentFor(t testing.TB, name string) Agent {
	t.Helper()
	a := Agent{Name: name, Settings: "agent: " + name + "\n", Env: []string{"LONGSHIFT_AGENTS=" + name}}
	switch name {
	case task.AgentClaude: // every stage has it
		a.Tools = agenttest.ClaudeTools
	case task.AgentCodex:
		a.Env, a.Tools = append(a.Env, "LONGSHIFT_CODEX="+agenttest.CodexBinary(t)), agenttest.CodexTools
	case task.AgentOpenCode:
		a.Env, a.Tools = append(a.Env, "LONGSHIFT_OPENCODE="+agenttest.OpenCodeBinary(t)), agenttest.OpenCodeTools
	default:
		t.Fatalf("no agent program is called %q", name)
	}
	return a
}
