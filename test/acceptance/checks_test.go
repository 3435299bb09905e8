package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// redBase is a repository whose check fails before the work, and whose work mends it. Its setup and its check write files of the
// repository and others, which are no work of the task.
func redBase() story {
	y := notes("red-base", nil)
	y.settings = "setup: echo configured >> AGENTS.md && touch config.log\ncheck: touch check.log && sh check.sh && grep -q cat notes.txt\n"
	y.redBase = true
	return y
}

// failing is work that its check fails, again and again.
func failing() story {
	y := notes("failing-check", nil)
	y.settings, y.red = "check: sh check.sh && ! grep cat notes.txt\n", true
	a := y.archive
	y.work[0].steps = []step{
		read("notes.txt", "plants"),
		bash("cat > notes.txt <<'END'\n" + a.meant["notes.txt"] + "END"),
		bash("git status --short"),
	}
	return y
}

// outcome is how the task is to end.
func (y story) outcome() task.Outcome {
	if y.red {
		return task.ChecksFailed
	}
	return task.PullRequest
}

// code is what longshift run is to end with.
func (y story) code() int {
	if y.red {
		return fault.ExitChecks
	}
	return 0
}

// checks fails the test unless setup and every check have ended as they should, and nobody was asked for anything on the way.
func (y story) checks(t testing.TB, end signals.Status) {
	t.Helper()
	if end.Check == nil || end.Check.Passed() == y.red {
		t.Errorf("the last check: %+v", end.Check)
	}
	if end.BaseCheck == nil || end.BaseCheck.Passed() == y.redBase {
		t.Errorf("the check of the base: %+v", end.BaseCheck)
	}
	if end.Setup != nil && !end.Setup.Passed() {
		t.Errorf("setup: %+v", end.Setup)
	}
	ran, back := 0, 0
	for _, line := range end.Log {
		switch {
		case line.Kind == "command":
			red := false
			if strings.HasPrefix(line.Text, "check: ") {
				if ran++; ran == 1 {
					red = y.redBase
				} else {
					red = y.red
				}
			}
			if strings.Contains(line.Text, " passed in ") == red {
				t.Errorf("a command of the task: %s", line.Text)
			}
		case line.Kind == "fix":
			back++
		case line.Kind == "question", line.Kind == "suspended", strings.HasPrefix(line.Text, "error"):
			t.Errorf("not all went by itself: %s %s", line.Kind, line.Text)
		}
	}
	if want := map[bool]int{true: 3}[y.red]; back != want {
		t.Errorf("the work went back %d times, want %d", back, want)
	}
}

// draft fails the test unless the pull request is a draft whose text begins with the failed check.
func draft(t testing.TB, p *person, repo string, end signals.Status) {
	t.Helper()
	record := p.git(t, repo, "cat-file", "blob", fmt.Sprintf("refs/longshift/pulls/%d/record", end.PullRequest.Number))
	about, text, _ := strings.Cut(record, "\n}\n\n")
	if !strings.Contains(about, `"draft": true`) || !strings.HasPrefix(text, "> **The check fails**: ") {
		t.Errorf("no draft that says first what is wrong:\n%s", record)
	}
}
