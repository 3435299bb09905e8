package integration

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/sourcetree"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestProgramStory is the story told to the real Codex and to the real OpenCode, in the sandbox and through the same pipeline.
func TestProgramStory(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]string{task.AgentCodex: "gpt-5.5", task.AgentOpenCode: "claude-sonnet-5-5"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := lab.AgentFor(t, name)
			s := lab.NewStage(t, lab.Script().In(a.Tools), a.Settings+lab.Settings, append(a.Env, lab.CompilerCache(t))...)
			s.Play()
			toldToItsEnd(t, s)
			for _, c := range s.Model.Calls() {
				if c.Model != model && (name == task.AgentCodex || c.Role != task.Planner) {
					t.Errorf("%s was asked for %s", c.Model, c.Rule)
				}
			}
		})
	}
}

// TestProgramsKnowTheirVersion asks the command what it was built from, which is how two machines tell that their releases differ.
func TestProgramsKnowTheirVersion(t *testing.T) {
	t.Parallel()
	git := exec.Command("git", "describe", "--always")
	git.Dir = sourcetree.Root()
	known := git.Run() == nil // not in a tree that was unpacked from an archive
	out, err := exec.Command(lab.Program(t, "longshift"), "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if devel := strings.HasPrefix(string(out), "longshift devel,"); devel == known {
		t.Errorf("git knows a version: %t, and the command says %q", known, out)
	}
}
