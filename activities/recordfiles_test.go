package activities

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// TestFilesOfASession keeps what a session was told of the task, and what it wants people to look at, without secrets.
func TestFilesOfASession(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{"script": says("<FINDING>a.go: it leaks\n" + secret + "</FINDING><FINDING>b.go: it sleeps</FINDING>" +
		"<REQUEST_CHANGES>calc.go:3 adds twice</REQUEST_CHANGES>")})
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{".github/workflows/x.yml": "on: pull_request_target\n"})
	b.commit(1, nil)
	in := b.session(task.Reviewer, "script")
	in.Prompt.Plan = &task.Plan{Verdict: task.VerdictWork, Summary: "Add sums",
		Deliverables: []task.Deliverable{{ID: "FIX-001", Description: "Add gives the sum", Status: task.Passed}}}
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	in.Prompt.Progress = []task.Entry{{Time: at, Kind: "NOTE", Text: "the key is " + secret}, {Time: at.Add(time.Minute), Kind: "PROGRESS", Text: "feat: sum"}}
	_, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	got := filesOf(t, b, in)
	want := map[string]string{
		"findings-1.md":    "- a.go: it leaks\n  [hidden]\n- b.go: it sleeps\n",
		"review-1.md":      "calc.go:3 adds twice\n",
		"second-look-1.md": "- ci .github/workflows/x.yml: new; runs on pull_request_target\n",
		"session-1.md": "# Plan\n\n" + in.Prompt.Plan.Markdown() + "\n# Progress log (oldest first)\n\n" +
			"2026-03-04 05:06 NOTE: the key is [hidden]\n2026-03-04 05:07 PROGRESS: feat: sum\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	b.Agents["script"] = says("<APPROVED>fine</APPROVED>") // has nothing to say to people, and was told nothing
	in = b.session(task.Implementer, "script")
	_, err = b.attempt().session(b.Sessions, in)
	must(t, err)
	if got := filesOf(t, b, in); len(got) > 0 {
		t.Errorf("kept %q", got)
	}
}

// filesOf are the files for people in the folder of a session.
func filesOf(t *testing.T, b *bench, in SessionInput) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(taskDir(b.Data, in.TaskID), "sessions", in.ID, "*.md"))
	must(t, err)
	all := map[string]string{}
	for _, f := range files {
		content, err := os.ReadFile(f)
		must(t, err)
		all[filepath.Base(f)] = string(content)
	}
	return all
}
