package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestGitHubIsDown lets the call that opens the pull request meet a bad gateway after it took effect, then a secondary limit.
// One pull request stands.
func TestGitHubIsDown(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Brief(), lab.QuickSettings)
	s.GitHub.Inject(
		forgetest.ServerError(http.StatusBadGateway).On(http.MethodPost, "/pulls"),
		forgetest.SecondaryLimit(http.StatusForbidden, 2*time.Second).On(http.MethodPost, "/pulls"),
		forgetest.ServerError(http.StatusBadGateway).On(http.MethodPost, "/pulls").Late(),
	)
	s.Play()
	s.Carried(ended(t, s), lab.Messages[0])
}

// TestGitServerIsDown lets each push fail twice: that of the fence, of the checkpoint, of the branch, and of their removal.
func TestGitServerIsDown(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Brief(), lab.QuickSettings)
	pushes := 0
	s.FailGit(func(service string) int {
		if service != "git-receive-pack" {
			return 0
		}
		if pushes++; pushes%3 != 0 {
			return http.StatusInternalServerError
		}
		return 0
	})
	s.Play()
	s.Carried(ended(t, s), lab.Messages[0])
	if pushes < 3*3 {
		t.Errorf("%d pushes were tried, fence, checkpoint and branch take three each", pushes)
	}
}

// TestNoReport lets a session end without a report. It is asked for it, in the same session.
func TestNoReport(t *testing.T) {
	t.Parallel()
	script := lab.Brief()
	fix := script.Rules[1].Turns
	script.Rules[1].Turns = []agenttest.Turn{fix[0], {Text: "I am through with it.", Usage: lab.Counted}, fix[2]}
	s := lab.NewStage(t, script, lab.QuickSettings)
	s.Play()
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	if len(end.Sessions) != 3 || !strings.Contains(lab.Log(end), "ended without a report") {
		t.Errorf("%d sessions; log: %s", len(end.Sessions), lab.Log(end))
	}
	first, second := s.Heard("fix", 1), s.Heard("fix", 2)
	if len(first) != 1 || len(second) != 1 || first[0].Session != second[0].Session || first[0].Prompt == second[0].Prompt {
		t.Errorf("calls %d and %d: the same session must be asked again, in other words", len(first), len(second))
	}
}

// TestPlannerWrites lets the model of a planner try every way to write. Nothing is written, and the plan is taken.
func TestPlannerWrites(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "intruder.txt")
	script := lab.Brief()
	plan := script.Rules[0].Turns[0]
	tool := func(name string, input map[string]any) agenttest.Turn {
		return agenttest.Turn{Usage: lab.Counted, Tools: []agenttest.Tool{{Name: name, Input: input}}}
	}
	script.Rules[0].Turns = []agenttest.Turn{
		tool("Write", map[string]any{"file_path": "intruder.txt", "content": "x"}),
		tool("Bash", map[string]any{"command": "touch intruder.txt " + outside, "description": "write"}),
		tool("Edit", map[string]any{"file_path": "calc.go", "old_string": "a - b", "new_string": "a * b"}),
		tool("Agent", map[string]any{"description": "write", "prompt": "write intruder.txt", "subagent_type": "general-purpose"}),
		plan,
	}
	var s *lab.Stage
	var seen []string
	script = lab.With(script, "plan", 4, func(turn *agenttest.Turn) {
		turn.Before = func(*agenttest.Call) { seen = intruders(s.Worker.Data) }
	})
	s = lab.NewStage(t, script, lab.QuickSettings)
	s.Play()
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	if _, err := os.Stat(outside); err == nil || len(seen) != 0 {
		t.Errorf("the planner has written: %q, outside: %v", seen, err == nil)
	}
	if got := s.WholeTurns()["plan/4"]; got != 1 || len(end.Sessions) != 3 || end.Sessions[0].Role != task.Planner {
		t.Errorf("the plan was given %d times in %d sessions", got, len(end.Sessions))
	}
	if files := gittest.Git(t, s.Bare, "diff", "--name-only", "main.."+end.Branch); files != "calc.go" {
		t.Errorf("changed files: %q", files)
	}
}

// intruders finds files of that name, and a calc.go with what the planner wanted in it.
func intruders(data string) (found []string) {
	_ = filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		text, _ := os.ReadFile(path)
		if d.Name() == "intruder.txt" || d.Name() == "calc.go" && strings.Contains(string(text), "a * b") {
			found = append(found, path)
		}
		return nil
	})
	return found
}
