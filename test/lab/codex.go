package lab

import (
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
)

// CodexSettings are the settings of a repository whose tasks are for Codex.
const CodexSettings = "agent: codex\n" + Settings

// ForCodex has a worker run the real Codex.
func ForCodex(t testing.TB) []string {
	t.Helper()
	return []string{"LONGSHIFT_AGENTS=codex", "LONGSHIFT_CODEX=" + agenttest.CodexBinary(t)}
}

// InCodex is a script told to Codex: it has one tool for commands, and reads files by it.
func InCodex(s agenttest.Script) agenttest.Script {
	return Translated(s, func(t agenttest.Tool) agenttest.Tool {
		command, _ := t.Input["command"].(string)
		if path, ok := t.Input["file_path"].(string); ok {
			command = "cat " + path
		}
		return agenttest.Tool{Name: "exec_command", Input: Args{"cmd": command}}
	})
}
