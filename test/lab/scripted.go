package lab

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/internal/agent/agenttest"
)

// NewScriptedStage sets the scene for a test that is not about the agent: the scripted agent plays what the model would say. A session of
// Claude Code costs a second of processor time. A script whose turns wait, fail or are counted needs the real one.
func NewScriptedStage(t testing.TB, script agenttest.Script, settings string, env ...string) *Stage {
	t.Helper()
	return NewScriptedStageOn(t, func() *Server { return StartServer(t, false) }, script, settings, env...)
}

// NewScriptedStageOn sets that scene on a server of the caller's making.
func NewScriptedStageOn(t testing.TB, server func() *Server, script agenttest.Script, settings string, env ...string) *Stage {
	t.Helper()
	return NewStageOn(t, server, agenttest.Script{}, settings+"agent: script\n", append(env, "LONGSHIFT_SCENARIO="+Scenario(t, script))...)
}

// Scenario writes a script of the model as a file for the scripted agent.
func Scenario(t testing.TB, script agenttest.Script) string {
	t.Helper()
	rules := slices.Clone(script.Rules) // the model takes rules with a match first
	slices.SortStableFunc(rules, func(a, b agenttest.Rule) int { return cmp.Compare(order(a), order(b)) })
	var sessions []map[string]any
	for _, r := range rules {
		if r.MatchSystem != "" || r.Once || len(r.Match) > 1 && r.Match[0] == '/' {
			t.Fatalf("rule %s: the scripted agent matches texts of prompts only", r.Name)
		}
		var steps []map[string]any
		for _, turn := range r.Turns {
			steps = append(steps, stepsOf(t, r.Name, turn)...)
		}
		sessions = append(sessions, map[string]any{"role": r.Role, "match": r.Match, "steps": steps})
	}
	data, err := yaml.Marshal(map[string]any{"sessions": sessions})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func order(r agenttest.Rule) int {
	if r.Match != "" {
		return 0
	}
	return 1
}

func stepsOf(t testing.TB, rule string, turn agenttest.Turn) (steps []map[string]any) {
	t.Helper()
	if turn.Before != nil || turn.Fault != nil {
		t.Fatalf("rule %s: a turn that waits or fails needs the real agent", rule)
	}
	add := func(kind string, v any) { steps = append(steps, map[string]any{kind: v}) }
	add("usage", map[string]any{"input": 100, "output": 50, "costUsd": 0.001})
	for _, tool := range turn.Tools {
		switch tool.Name {
		case "Read":
		case "Bash":
			add("run", tool.Input["command"])
		case "Write":
			add("write", map[string]any{"path": tool.Input["file_path"], "content": tool.Input["content"]})
		default:
			t.Fatalf("rule %s: the scripted agent has no tool %s", rule, tool.Name)
		}
	}
	if turn.Text != "" {
		add("say", turn.Text)
	}
	if turn.Answer != nil {
		var answer any
		if err := json.Unmarshal(turn.Answer, &answer); err != nil {
			t.Fatal(err)
		}
		add("answer", answer)
	}
	return steps
}
