package acceptance

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestMixedTask is planned by Claude Code, written by Codex and reviewed by Longshift's own agent.
func TestMixedTask(t *testing.T) {
	t.Parallel()
	p := newPerson(t, nil)
	p.links("codex", agenttest.CodexLauncher(t))
	script := codexScript()
	plan, fix, review := script.Rules[0], script.Rules[1], script.Rules[2]
	plan.Turns[0] = lab.Call("Bash", lab.Args{"command": "cat calc.go"})
	review.Turns[0] = lab.Call("run_command", lab.Args{"command": "git diff HEAD~1"})
	m := agenttest.NewServer(t, withKey(agenttest.Script{Rules: []agenttest.Rule{fix}}))
	d := startDev(t, p, agenttest.Script{Rules: []agenttest.Rule{plan, review}},
		"LONGSHIFT_AGENTS=claude,codex,native", "OPENAI_API_KEY="+key, "OPENAI_BASE_URL="+m.URL+"/v1")
	repo := plain(t, p, filepath.Join(p.home, "src", "calc"),
		calc("approval: {mode: none}\ncheck: go test ./...\nagents: {implementer: codex, reviewer: native}\n"))
	r := p.longshift(t, within, repo, d.address, "run", "make the failing test pass", "-o", "json")
	var end signals.Status
	must(t, json.Unmarshal([]byte(r.out), &end))
	if r.code != fault.ExitOK || end.Outcome != task.PullRequest || end.Check == nil || !end.Check.Passed() {
		t.Fatalf("run ended with %d: %s\n%s", r.code, r.err, r.out)
	}
	var worked []string
	for _, s := range end.Sessions {
		worked = append(worked, s.Agent)
	}
	if want := []string{"claude", "codex", "native"}; !slices.Equal(worked, want) {
		t.Errorf("the agents were %q, wanted %q", worked, want)
	}
}
