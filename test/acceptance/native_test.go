package acceptance

import (
	"encoding/json"
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

// TestNativeAgent is a first task of somebody who has a key and no agent program: `longshift dev`, the doctor, a run in a repository whose
// work uses git and the tool chain, and what the commands say of it afterwards.
func TestNativeAgent(t *testing.T) {
	t.Parallel()
	e := native
	e.tools = claudeCode.tools // the script has its own already
	d := startDevFor(t, e, nativeScript())
	p := d.person
	if !strings.Contains(d.said(), "Native agent") {
		t.Errorf("dev does not say which agent works:\n%s", d.said())
	}
	repo := plain(t, p, filepath.Join(p.home, "src", "calc"), calc("approval: {mode: none}\ncheck: go test ./...\n"))
	if r := p.longshift(t, time.Minute, repo, slices.Concat(d.address, []string{"LONGSHIFT_AGENTS=native", "ANTHROPIC_API_KEY=" + key, "LONGSHIFT_ANTHROPIC_URL=" + d.model.URL}), "doctor"); !strings.Contains(r.out, "ok    native agent") {
		t.Errorf("doctor says %s%s", r.out, r.err)
	}
	r := p.longshift(t, within, repo, d.address, "run", "make the failing test pass", "-o", "json")
	var end signals.Status
	must(t, json.Unmarshal([]byte(r.out), &end))
	if r.code != fault.ExitOK || end.Outcome != task.PullRequest || end.Check == nil || !end.Check.Passed() {
		t.Fatalf("run ended with %d: %s\n%s", r.code, r.err, r.out)
	}
	if got := p.git(t, repo, "show", end.Branch+":calc.go"); !strings.Contains(got, "a + b") {
		t.Errorf("calc.go is %q", got)
	}
	logs := p.longshift(t, time.Minute, repo, d.address, "logs", end.WorkflowID)
	for _, want := range []string{"> run_command go test ./... && git diff --stat", "> edit_file calc.go", "calc.go | 2 +-", "[deliverable_set_status]"} {
		if !strings.Contains(logs.out, want) {
			t.Errorf("the log does not say %q:\n%s", want, logs.out)
		}
	}
	replayed(t, p, d, repo, end.WorkflowID)
	for _, c := range d.model.Unscripted() {
		t.Errorf("a call that no rule fits: %s", c.Error)
	}
}

// calc is a small repository with a failing test.
func calc(settings string) map[string]string {
	return map[string]string{
		"go.mod": "module example.com/calc\n\ngo 1.24\n", "calc.go": "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return a - b }\n",
		"calc_test.go":    "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal(Add(2, 3))\n\t}\n}\n",
		".longshift.yaml": settings,
	}
}

// replayed compares what the command says of the implementer's session with what the model did in it.
func replayed(t *testing.T, p *person, d *dev, repo, id string) {
	t.Helper()
	show := func(args ...string) ran {
		return p.longshift(t, time.Minute, repo, d.address, append([]string{"session", "show"}, args...)...)
	}
	r := show(signals.SessionID(id, 2), "-o", "jsonl")
	var did []string
	for n, line := range strings.Split(strings.TrimSpace(r.out), "\n") {
		var round struct {
			Round   int
			CostUSD float64
			Calls   []struct {
				Tool, Result string
				Failed       bool
			}
		}
		must(t, json.Unmarshal([]byte(line), &round))
		if round.Round != n+1 || round.CostUSD <= 0 {
			t.Errorf("line %d is of round %d, which cost $%f", n+1, round.Round, round.CostUSD)
		}
		for _, c := range round.Calls {
			var result struct {
				Success bool
				Output  string
			}
			must(t, json.Unmarshal([]byte(c.Result), &result))
			if c.Failed || !result.Success || c.Tool == "run_command" && !strings.Contains(result.Output, "calc.go | 2 +-") {
				t.Errorf("round %d: %+v", n+1, c)
			}
			did = append(did, c.Tool)
		}
	}
	if want := []string{"edit_file", "run_command", "deliverable_set_status"}; r.code != fault.ExitOK || !slices.Equal(did, want) {
		t.Errorf("session show ended with %d, and has %q, want %q: %s\n%s", r.code, did, want, r.err, r.out)
	}
	text := show(id, "--session", "2")
	rest := text.out
	for _, want := range []string{"Session 2 of " + id + ": implementer FIX-001\n  state  completed\n", "\nRound 1, ", "> edit_file calc.go\n  < ",
		"\nRound 2, ", "> run_command go test ./... && git diff --stat\n  < exit_code 0, seconds ", "calc.go | 2 +-",
		"\nRound 3, ", "> deliverable_set_status FIX-001 passed\n  < ", "\n3 rounds, 3 calls, $"} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("session show does not say %q then: %s\n%s", want, text.err, text.out)
		}
		rest = after
	}
	if several := show(id); several.code != fault.ExitUsage || !strings.Contains(several.err, "has 3 sessions:\n  1  planner\n  2  implementer FIX-001\n  3  reviewer") {
		t.Errorf("session show without a number ended with %d: %s", several.code, several.err)
	}
}

func nativeScript() agenttest.Script {
	plan := map[string]any{"verdict": "work", "summary": "Add adds", "approach": "Mend the sign.", "files": []string{"calc.go"}, "risks": []string{},
		"evidence": "", "lines": 2, "split": []string{}, "deprecated": []string{},
		"deliverables": []any{map[string]any{"id": "FIX-001", "description": "Add adds", "acceptance": []string{"the test passes"}, "proof": ""}}}
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{
			lab.Call("get_file_outline", lab.Args{"path": "calc.go"}, "run_command", lab.Args{"command": "go test ./...", "timeout": 200}), answer(plan)}},
		{Name: "fix", Role: task.Implementer, Turns: []agenttest.Turn{
			lab.Call("edit_file", lab.Args{"path": "calc.go", "old": "a - b", "new": "a + b"}),
			lab.Call("run_command", lab.Args{"command": "go test ./... && git diff --stat", "timeout": 200}),
			lab.Passed("FIX-001", "fix: have Add add")}},
		{Name: "review", Role: task.Reviewer, Turns: []agenttest.Turn{
			lab.Call("run_command", lab.Args{"command": "git diff HEAD~1"}), answer(map[string]any{"verdict": "approved", "text": "It adds."})}},
	}}
}
