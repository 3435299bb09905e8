package acceptance

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/test/lab"
)

// engineer is an agent that works in the stories. They are told in the tools of Claude Code.
type engineer struct {
	name      string
	env       []string                                // of longshift dev
	missing   []string                                // programs that its person has not installed
	translate func(agenttest.Script) agenttest.Script // into its own tools
	read      func(result string) string              // a result of them
}

var (
	claudeCode = engineer{name: "claude", translate: func(s agenttest.Script) agenttest.Script { return s }, read: func(result string) string { return result }}
	native     = engineer{name: "native", env: []string{"LONGSHIFT_AGENTS=native"}, missing: []string{"claude"}, translate: toNative, read: texts}
)

// eachEngineer plays a story with every agent.
func eachEngineer(t *testing.T, play func(t *testing.T, e engineer)) {
	for _, e := range []engineer{claudeCode, native} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			play(t, e)
		})
	}
}

// startDevFor starts longshift dev for a person whose tasks the agent works on.
func startDevFor(t testing.TB, e engineer, script agenttest.Script) *dev {
	t.Helper()
	p := newPerson(t, nil)
	for _, program := range e.missing {
		must(t, os.Remove(filepath.Join(p.home, ".local", "bin", program)))
	}
	d := startDev(t, p, e.translate(script), e.env...)
	d.read = e.read
	return d
}

// toNative has a model call the tools of Longshift's own agent.
func toNative(s agenttest.Script) agenttest.Script { return lab.Translated(s, nativeTool) }

// nativeTool is the call that does what one of Claude Code's tools would.
func nativeTool(t agenttest.Tool) agenttest.Tool {
	in := t.Input
	call := func(name string, arguments map[string]any) agenttest.Tool {
		return agenttest.Tool{Name: name, Input: arguments}
	}
	switch t.Name {
	case "Bash":
		return call("run_command", map[string]any{"command": in["command"], "timeout": 300})
	case "Read":
		if from, ok := in["offset"].(int); ok {
			return call("read_lines", map[string]any{"path": in["file_path"], "from": from, "to": from + in["limit"].(int) - 1})
		}
		return call("read_file", map[string]any{"path": in["file_path"]})
	case "Write":
		return call("write_file", map[string]any{"path": in["file_path"], "content": in["content"]})
	case "Edit":
		return call("edit_file", map[string]any{"path": in["file_path"], "old": in["old_string"], "new": in["new_string"]})
	case "Grep":
		return call("search", map[string]any{"pattern": in["pattern"]})
	case "Glob":
		return call("find_files", map[string]any{"pattern": in["pattern"]})
	}
	report, ok := strings.CutPrefix(t.Name, "mcp__longshift__")
	if !ok {
		panic("nothing does natively what " + t.Name + " does")
	}
	return call(report, in)
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
