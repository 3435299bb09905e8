package integration

import (
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestOpenCodeStory is the story told to the real OpenCode, in the sandbox and through the same pipeline.
func TestOpenCodeStory(t *testing.T) {
	t.Parallel()
	s := lab.NewStage(t, lab.Script().In(agenttest.OpenCodeTools), lab.OpenCodeSettings, append(lab.ForOpenCode(t), lab.CompilerCache(t))...)
	s.Play()
	toldToItsEnd(t, s)
	for _, c := range s.Model.Calls() {
		if c.Model != "claude-sonnet-5-5" && c.Role != task.Planner {
			t.Errorf("%s was asked for %s", c.Model, c.Rule)
		}
	}
}
