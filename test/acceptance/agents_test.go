package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// engineer is an agent that works in the stories. They are told in the tools of Claude Code.
type engineer struct {
	name    string
	program func(testing.TB) string // that its person has installed in place of Claude Code
	env     func(url string) []string
	key     string // what longshift dev says of it
	tools   func(agenttest.Tool) agenttest.Tool
	read    func(agenttest.Result) (text string, failed bool)
}

var (
	claudeCode = engineer{name: task.AgentClaude, key: "Model key", tools: agenttest.ClaudeTools,
		read: func(r agenttest.Result) (string, bool) { return r.Text, r.Failed }}
	native = engineer{name: task.AgentNative, key: "Model key", tools: agenttest.NativeTools,
		read: func(r agenttest.Result) (string, bool) { return texts(r.Text), r.Failed }}
	codex = engineer{name: task.AgentCodex, program: agenttest.CodexLauncher, key: "OpenAI key", tools: agenttest.CodexTools, read: readCodex,
		env: func(url string) []string { return []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + url + "/v1"} }}
	openCode = engineer{name: task.AgentOpenCode, program: agenttest.OpenCodeBinary, key: "Model key", tools: openCodeTools, read: readOpenCode}
)

// eachEngineer plays a story with every agent, or with the first two.
func eachEngineer(t *testing.T, play func(t *testing.T, e engineer)) {
	all := []engineer{claudeCode, native, codex, openCode}
	if !*allAgents {
		all = all[:2]
	}
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			play(t, e)
		})
	}
}

// startDevFor starts longshift dev for a person whose tasks the agent works on.
func startDevFor(t testing.TB, e engineer, script agenttest.Script) *dev {
	t.Helper()
	p, m := newPerson(t, nil), newModel(t, script.In(e.tools))
	var env []string
	if e.name != task.AgentClaude {
		env = []string{"LONGSHIFT_AGENTS=" + e.name}
		p.drops(task.AgentClaude)
	}
	if e.program != nil {
		p.links(e.name, e.program(t))
	}
	if e.env != nil {
		env = append(env, e.env(m.URL)...)
	}
	d := startDevOn(t, p, m, env...)
	if !regexp.MustCompile(`\n  ` + e.key + ` +from \w+, taken by `).MatchString(d.said()) {
		t.Errorf("dev does not say whether the key is taken:\n%s", d.said())
	}
	d.read = e.read
	return d
}

// readCodex reads what Codex says of a call. It has no mark for a failure of its own.
func readCodex(r agenttest.Result) (text string, failed bool) {
	command := strings.HasPrefix(r.Input, `{"cmd"`)
	return r.Text, command && !strings.Contains(r.Text, "\nProcess exited with code 0\n")
}

// openCodeTools has a command say how it has ended, as OpenCode tells its model nothing of that.
func openCodeTools(t agenttest.Tool) agenttest.Tool {
	t = agenttest.OpenCodeTools(t)
	if command, ok := t.Input["command"]; ok {
		t.Input["command"] = fmt.Sprintf("%s\ncode=$?\necho \"the step ends with $code\"\nexit $code", command)
	}
	return t
}

func readOpenCode(r agenttest.Result) (text string, failed bool) {
	command := strings.Contains(r.Input, `"command":`)
	return r.Text, r.Failed || command && !strings.Contains(r.Text, "the step ends with 0\n")
}

// texts are the texts of a JSON value, one behind the other; what is no JSON is one itself.
func texts(result string) string {
	var value any
	if json.Unmarshal([]byte(result), &value) != nil {
		return result
	}
	var all []string
	var add func(any)
	add = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, e := range v {
				add(e)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				add(v[name])
			}
		}
	}
	add(value)
	return strings.Join(all, "\n")
}
