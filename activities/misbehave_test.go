package activities

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/claude"
	"github.com/longshift/longshift/internal/agent/codex"
	"github.com/longshift/longshift/internal/agent/opencode"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/task"
)

// assailant is an agent whose model attacks the host. The attacks are told in the tools of Claude Code.
type assailant struct {
	name, model string
	binary      func(testing.TB) string
	driver      func(testing.TB, program.Config) agent.Agent
	tools       func(agenttest.Tool) agenttest.Tool
}

var assailants = []assailant{
	{task.AgentClaude, "sonnet", agenttest.ClaudeBinary, func(t testing.TB, c program.Config) agent.Agent {
		d := claude.New(claude.Config{Config: c})
		t.Cleanup(func() { _ = d.Close() })
		return d
	}, agenttest.ClaudeTools},
	{task.AgentCodex, "gpt-5.5", agenttest.CodexBinary, func(_ testing.TB, c program.Config) agent.Agent {
		return codex.New(codex.Config{Config: c})
	}, agenttest.CodexTools},
	{task.AgentOpenCode, "sonnet", agenttest.OpenCodeBinary, func(_ testing.TB, c program.Config) agent.Agent {
		return opencode.New(c)
	}, agenttest.OpenCodeTools},
}

// TestMisbehaviour has each agent attack three times: with policy alone, with the sandbox alone, and with neither, which shows that the attacks
// work. Those that leave the session running are made in one.
func TestMisbehaviour(t *testing.T) {
	for _, h := range assailants {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			misbehaves(t, h)
		})
	}
}

func misbehaves(t *testing.T, h assailant) {
	box, err := sandbox.New(t.Context(), sandbox.Config{Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	var allowed atomic.Int32
	everything := func(context.Context, agent.Call) agent.Decision { allowed.Add(1); return agent.Decision{Allow: true} }
	together := slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool { return a.held })
	groups := [][]attack{together}
	for _, a := range attacks {
		if a.held {
			groups = append(groups, []attack{a})
		}
	}
	for _, group := range groups {
		t.Run("policy/"+group[0].name, func(t *testing.T) {
			s := newScene(t, h, group)
			s.play(group[0].role)
			s.harmed(group)
			if n := s.denials(); group[0].role == "" && n < len(group) {
				t.Errorf("the command log has %d refusals of %d attacks", n, len(group))
			}
		})
		t.Run("sandbox/"+group[0].name, func(t *testing.T) {
			s := newScene(t, h, group)
			s.instead, s.Confine.Box = everything, box
			s.start()
			allowed.Store(0)
			s.play(group[0].role)
			s.harmed(group)
			if n := int(allowed.Load()); n < len(group) {
				t.Errorf("%d calls of %d attacks were allowed", n, len(group))
			}
		})
	}
	t.Run("neither", func(t *testing.T) {
		s := newScene(t, h, together)
		s.instead = everything
		s.start()
		s.play("")
		for _, a := range together {
			if a.harm(s) == "" {
				t.Errorf("%s: it does no harm where nothing holds it, so that it shows nothing", a.name)
			}
		}
	})
}
