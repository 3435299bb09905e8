package integration

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestNativeStory is the story told to Longshift's own agent, by the API of either vendor: no program beside the worker, the same pipeline.
func TestNativeStory(t *testing.T) {
	t.Parallel()
	for api, settings := range map[string]string{"anthropic": "", "openai": "native: {api: openai}\n"} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			s := lab.NewStage(t, lab.NativeScript(), lab.NativeSettings+settings, lab.CompilerCache(t))
			s.Play()
			if end := toldToItsEnd(t, s); !strings.Contains(lab.Log(end), "Add subtracted.") {
				t.Errorf("the note of a session is not in the log: %s", lab.Log(end))
			}
			for _, c := range s.Model.Calls() {
				if asked := c.Model == "gpt-5.5"; asked != (api == "openai") {
					t.Errorf("%s was asked", c.Model)
				}
			}
		})
	}
}

// toldToItsEnd fails the test unless the story was told to its end.
func toldToItsEnd(t *testing.T, s *lab.Stage) signals.Status {
	t.Helper()
	end := s.Ended()
	if end.Outcome != task.PullRequest || end.Iteration != 2 {
		t.Fatalf("outcome %s in round %d: %s%s", end.Outcome, end.Iteration, end.Detail, lab.Log(end))
	}
	if got := s.Subjects(end.Branch); !slices.Equal(got, lab.Messages) {
		t.Errorf("commits %q, want %q", got, lab.Messages)
	}
	if files := gittest.Git(t, s.Bare, "diff", "--name-only", "main.."+end.Branch); files != "README.md\ncalc.go" {
		t.Errorf("changed files %q", files)
	}
	turns := 0
	for _, n := range s.WholeTurns() {
		turns += n
	}
	if int64(end.Usage.Calls) != int64(turns) || end.Usage.CostUSD == 0 {
		t.Errorf("usage %+v for %d answers", end.Usage, turns)
	}
	if left := s.Worker.Programs(); len(left) != 0 {
		t.Errorf("processes left behind: %q", left)
	}
	return end
}
