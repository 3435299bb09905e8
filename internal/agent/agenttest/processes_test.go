package agenttest

import (
	"testing"

	"github.com/longshift/longshift/internal/agent"
)

// A session without a process fails the test, and no signal goes to the test itself.
func TestKillWithoutAProcess(t *testing.T) {
	f := &failing{TB: t}
	if Kill(f, agent.Session{ID: "of nobody"}); len(f.errors) == 0 {
		t.Error("the test passes")
	}
}
