package lab

import (
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
