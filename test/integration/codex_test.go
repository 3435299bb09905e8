package integration

import (
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/test/lab"
)

// TestCodexStory is the story told to the real Codex, in the sandbox and through the same pipeline.
func TestCodexStory(t *testing.T) {
	t.Parallel()
	s := lab.NewStage(t, lab.Script().In(agenttest.CodexTools), lab.CodexSettings, append(lab.ForCodex(t), lab.CompilerCache(t))...)
	s.Play()
	toldToItsEnd(t, s)
	for _, c := range s.Model.Calls() {
		if c.Model != "gpt-5.5" {
			t.Errorf("%s was asked", c.Model)
		}
	}
}
