package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
)

// OpenCodeSettings are the settings of a repository whose tasks are for OpenCode.
const OpenCodeSettings = "agent: opencode\n" + Settings

// ForOpenCode has a worker run the real OpenCode.
func ForOpenCode(t testing.TB) []string {
	t.Helper()
	return []string{"LONGSHIFT_AGENTS=opencode", "LONGSHIFT_OPENCODE=" + agenttest.OpenCodeBinary(t)}
}

// InOpenCode is a script told to OpenCode.
func InOpenCode(s agenttest.Script) agenttest.Script { return Translated(s, openCodeTool) }

// Translated is a script in which the model calls other tools instead. The one that is given stays as it is.
func Translated(s agenttest.Script, translate func(agenttest.Tool) agenttest.Tool) agenttest.Script {
	s.Rules = slices.Clone(s.Rules)
	for i, r := range s.Rules {
		r.Turns = slices.Clone(r.Turns)
		for j, turn := range r.Turns {
			var tools []agenttest.Tool
			for _, t := range turn.Tools {
				tools = append(tools, translate(t))
			}
			r.Turns[j].Tools = tools
		}
		s.Rules[i] = r
	}
	return s
}

// openCodeTool is the call that does what one of Claude Code's tools would. OpenCode's own search downloads a program, and is not offered.
func openCodeTool(t agenttest.Tool) agenttest.Tool {
	in := t.Input
	call := func(name string, arguments Args) agenttest.Tool { return agenttest.Tool{Name: name, Input: arguments} }
	switch t.Name {
	case "Bash":
		return call("bash", Args{"command": in["command"], "description": "a step"})
	case "Read":
		arguments := Args{"filePath": in["file_path"]}
		for _, name := range []string{"offset", "limit"} {
			if n, ok := in[name]; ok {
				arguments[name] = n
			}
		}
		return call("read", arguments)
	case "Write":
		return call("write", Args{"filePath": in["file_path"], "content": in["content"]})
	case "Edit":
		return call("edit", Args{"filePath": in["file_path"], "oldString": in["old_string"], "newString": in["new_string"]})
	case "Grep":
		return call("bash", Args{"command": "grep -rn '" + in["pattern"].(string) + "' .", "description": "search"})
	case "Glob":
		return call("bash", Args{"command": "find . -name '" + in["pattern"].(string) + "'", "description": "find"})
	}
	if t.Name == "apply_patch" { // its own
		return t
	}
	report, ok := strings.CutPrefix(t.Name, "mcp__longshift__")
	if !ok {
		panic("nothing does in OpenCode what " + t.Name + " does")
	}
	return call("longshift_"+report, in)
}
