package acceptance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestCodexAgent is a first task of somebody who has Codex and a key of OpenAI: `longshift dev`, the doctor, a run in a repository whose work
// uses git and the tool chain, and what the commands say of it afterwards.
func TestCodexAgent(t *testing.T) {
	t.Parallel()
	p := newPerson(t, nil)
	must(t, os.Remove(filepath.Join(p.home, ".local", "bin", "claude")))
	must(t, os.Symlink(agenttest.CodexLauncher(t), filepath.Join(p.home, ".local", "bin", "codex"))) // as npm does
	m := agenttest.NewServer(t, withKey(codexScript()))
	env := []string{"LONGSHIFT_AGENTS=codex", "OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + m.URL + "/v1"}
	d := startDev(t, p, agenttest.Script{Rules: []agenttest.Rule{{Turns: []agenttest.Turn{{Text: "Nobody asks Anthropic."}}}}}, env...)
	for _, want := range []string{"Codex", "OpenAI key"} {
		if !strings.Contains(d.said(), want) {
			t.Errorf("dev does not speak of %q:\n%s", want, d.said())
		}
	}
	repo := plain(t, p, filepath.Join(p.home, "src", "calc"), calc("approval: {mode: none}\ncheck: go test ./...\n"))
	doctor := p.longshift(t, time.Minute, repo, slices.Concat(d.address, env), "doctor")
	for _, want := range []string{"ok    codex", "ok    OpenAI key"} {
		if !strings.Contains(doctor.out, want) {
			t.Errorf("doctor does not say %q: %s%s", want, doctor.out, doctor.err)
		}
	}
	r := p.longshift(t, within, repo, d.address, "run", "make the failing test pass", "-o", "json")
	var end signals.Status
	must(t, json.Unmarshal([]byte(r.out), &end))
	if r.code != fault.ExitOK || end.Outcome != task.PullRequest || end.Check == nil || !end.Check.Passed() || end.Usage.CostUSD == 0 {
		t.Fatalf("run ended with %d: %s\n%s", r.code, r.err, r.out)
	}
	if got := p.git(t, repo, "show", end.Branch+":calc.go"); !strings.Contains(got, "a + b") {
		t.Errorf("calc.go is %q", got)
	}
	logs := p.longshift(t, time.Minute, repo, d.address, "logs", end.WorkflowID)
	for _, want := range []string{"go test ./... && git diff --stat", "calc.go | 2 +-", "[deliverable_set_status]"} {
		if !strings.Contains(logs.out, want) {
			t.Errorf("the log does not say %q:\n%s", want, logs.out)
		}
	}
	if strings.Contains(logs.out, "longshift_session") {
		t.Errorf("the log speaks of calls that the gateway has refused:\n%s", logs.out)
	}
}

func withKey(s agenttest.Script) agenttest.Script {
	s.Key = key
	return s
}

func codexScript() agenttest.Script {
	plan := map[string]any{"verdict": "work", "summary": "Add adds", "approach": "Mend the sign.", "files": []string{"calc.go"}, "risks": []string{},
		"evidence": "", "lines": 2, "split": []string{}, "deprecated": []string{},
		"deliverables": []any{map[string]any{"id": "FIX-001", "description": "Add adds", "acceptance": []string{"the test passes"}, "proof": ""}}}
	patch := "*** Begin Patch\n*** Update File: calc.go\n@@\n-func Add(a, b int) int { return a - b }\n+func Add(a, b int) int { return a + b }\n*** End Patch\n"
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{lab.Call("exec_command", lab.Args{"cmd": "cat calc.go"}), answer(plan)}},
		{Name: "fix", Role: task.Implementer, Turns: []agenttest.Turn{
			{Tools: []agenttest.Tool{{Name: "apply_patch", Text: patch}}},
			lab.Call("exec_command", lab.Args{"cmd": "go test ./... && git diff --stat", "yield_time_ms": 30000}),
			lab.Call("mcp__longshift__deliverable_set_status", lab.Args{"id": "FIX-001", "status": "passed", "text": "fix: have Add add"})}},
		{Name: "review", Role: task.Reviewer, Turns: []agenttest.Turn{
			lab.Call("exec_command", lab.Args{"cmd": "git diff HEAD~1"}), answer(map[string]any{"verdict": "approved", "text": "It adds."})}},
	}}
}
