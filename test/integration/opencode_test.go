package integration

import (
	"testing"

	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestOpenCodeStory is the story told to the real OpenCode, in the sandbox and through the same pipeline, with both APIs.
func TestOpenCodeStory(t *testing.T) {
	t.Parallel()
	for api, model := range map[string]string{"anthropic": "claude-sonnet-5-5", "openai": "gpt-5.5"} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			settings := lab.OpenCodeSettings + "\nopencode: {api: " + api + "}\n"
			s := lab.NewStage(t, lab.InOpenCode(lab.Script()), settings, append(lab.ForOpenCode(t), lab.CompilerCache(t))...)
			s.Play()
			toldToItsEnd(t, s)
			for _, c := range s.Model.Calls() {
				if c.Model != model && c.Role != task.Planner {
					t.Errorf("%s was asked for %s", c.Model, c.Rule)
				}
			}
		})
	}
}
