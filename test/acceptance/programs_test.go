package acceptance

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// vendor is the agent of a vendor, as people install it.
type vendor struct {
	path   string // of what is on PATH
	env    func(url string) []string
	says   []string // of longshift dev
	doctor []string
	script agenttest.Script
}

// TestPrograms are first tasks of people who have Codex or OpenCode, and a key of OpenAI: `longshift dev`, the doctor, a run in a repository whose
// work uses git and the tool chain, and what the commands say of it afterwards.
func TestPrograms(t *testing.T) {
	t.Parallel()
	plan := lab.Call("Bash", lab.Args{"command": "cat calc.go"})
	openCode := calcScript(plan,
		lab.Call("Bash", lab.Args{"command": "git diff HEAD~1"}), lab.Call("Read", lab.Args{"file_path": "calc.go"}),
		lab.Call("apply_patch", lab.Args{"patchText": calcPatch}), // what it offers to models of this name
		lab.Call("Bash", lab.Args{"command": "go test ./... && git diff --stat"})).In(agenttest.OpenCodeTools)
	for name, c := range map[string]vendor{
		"codex": {path: agenttest.CodexLauncher(t), script: codexScript(), says: []string{"Codex", "OpenAI key"}, doctor: []string{"ok    codex", "ok    OpenAI key"},
			env: func(url string) []string {
				return []string{"LONGSHIFT_AGENTS=codex", "OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + url + "/v1"}
			}},
		"opencode": {path: agenttest.OpenCodeBinary(t), script: openCode, says: []string{"OpenCode", "OpenAI key"}, doctor: []string{"ok    opencode", "ok    OpenAI key"},
			env: func(url string) []string {
				return []string{"LONGSHIFT_AGENTS=opencode", "OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + url + "/v1"}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			firstTaskWith(t, name, c)
		})
	}
}

func firstTaskWith(t *testing.T, name string, c vendor) {
	p := newPerson(t, nil)
	p.drops("claude")
	p.links(name, c.path)
	m := agenttest.NewServer(t, withKey(c.script))
	env := c.env(m.URL)
	d := startDev(t, p, agenttest.Script{Rules: []agenttest.Rule{{Turns: []agenttest.Turn{{Text: "Nobody asks Anthropic."}}}}}, env...)
	for _, want := range c.says {
		if !strings.Contains(d.said(), want) {
			t.Errorf("dev does not speak of %q:\n%s", want, d.said())
		}
	}
	repo := plain(t, p, filepath.Join(p.home, "src", "calc"), calc("approval: {mode: none}\ncheck: go test ./...\nopencode: {api: openai}\n"))
	doctor := p.longshift(t, time.Minute, repo, slices.Concat(d.address, env), "doctor")
	for _, want := range c.doctor {
		if !strings.Contains(doctor.out, want) {
			t.Errorf("doctor does not say %q: %s%s", want, doctor.out, doctor.err)
		}
	}
	agents := p.longshift(t, time.Minute, repo, slices.Concat(d.address, env), "agents", "-o", "json")
	var listed []checkup.Agent
	must(t, json.Unmarshal([]byte(agents.out), &listed))
	for _, a := range listed {
		switch mine := a.Agent == name; { // the person has this one alone, and native needs no program
		case mine && (a.State != signals.HostOK || !a.Allowed || len(a.Keys) != 1):
			t.Errorf("the agent that works: %+v", a)
		case !mine && a.Agent != task.AgentNative && (a.State == signals.HostOK || a.Hint == "" || a.Allowed):
			t.Errorf("an agent that is not there: %+v", a)
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

const calcPatch = "*** Begin Patch\n*** Update File: calc.go\n@@\n-func Add(a, b int) int { return a - b }\n+func Add(a, b int) int { return a + b }\n*** End Patch\n"

func codexScript() agenttest.Script {
	return calcScript(lab.Call("exec_command", lab.Args{"cmd": "cat calc.go"}), lab.Call("exec_command", lab.Args{"cmd": "git diff HEAD~1"}),
		agenttest.Turn{Tools: []agenttest.Tool{{Name: "apply_patch", Text: calcPatch}}},
		lab.Call("exec_command", lab.Args{"cmd": "go test ./... && git diff --stat", "yield_time_ms": 30000}))
}

// calcScript has an agent mend Add.
func calcScript(look, review agenttest.Turn, mend ...agenttest.Turn) agenttest.Script {
	plan := map[string]any{"verdict": "work", "summary": "Add adds", "approach": "Mend the sign.", "files": []string{"calc.go"}, "risks": []string{},
		"evidence": "", "lines": 2, "split": []string{}, "deprecated": []string{},
		"deliverables": []any{map[string]any{"id": "FIX-001", "description": "Add adds", "acceptance": []string{"the test passes"}, "proof": ""}}}
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{look, answer(plan)}},
		{Name: "fix", Role: task.Implementer, Turns: append(mend,
			lab.Call("mcp__longshift__deliverable_set_status", lab.Args{"id": "FIX-001", "status": "passed", "text": "fix: have Add add"}))},
		{Name: "review", Role: task.Reviewer, Turns: []agenttest.Turn{review, answer(map[string]any{"verdict": "approved", "text": "It adds."})}},
	}}
}
