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
